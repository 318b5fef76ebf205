"""Rankings of a context's atoms for a question."""
