"""Statistics of accuracies over questions."""
