"""Examples that `plancheck new` copies with NAME replaced. They need Python alone, and nothing of the study."""
