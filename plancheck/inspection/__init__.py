"""`plancheck inspect`: one question, from its context to why its answer counts as it does."""
