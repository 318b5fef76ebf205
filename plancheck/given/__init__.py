"""What users bring: plans, contexts and answers of systems of their own, as files."""
