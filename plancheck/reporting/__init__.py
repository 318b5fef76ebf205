"""Tables for readers."""
