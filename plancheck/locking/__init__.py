"""`plancheck lock`: what a run must not change, written down before it."""
