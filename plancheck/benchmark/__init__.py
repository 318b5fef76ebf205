"""Where questions come from: one module a source."""
