"""`plancheck diff`: what differs between two runs, in the order of the pipeline."""
