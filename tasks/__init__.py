"""Prefect tasks: the retried unit of work of each model-bearing stage."""
