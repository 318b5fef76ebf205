"""`plancheck cache`: what the generation cache holds, and bringing several together."""
