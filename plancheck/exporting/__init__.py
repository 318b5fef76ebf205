"""What a user's own program is given of the study. No gold letter and no gold span, but in the qrels."""
