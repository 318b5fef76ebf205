"""The first version of a user's own program."""
