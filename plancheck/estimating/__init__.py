"""What a study will ask of its models, how long that takes and what it costs, before anything runs."""
