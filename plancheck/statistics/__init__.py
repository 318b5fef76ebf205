"""Statistics of accuracies over questions, alone and in pairs."""
