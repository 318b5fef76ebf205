"""What the answer model is asked and how its reply is read."""
