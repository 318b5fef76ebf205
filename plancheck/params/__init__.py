"""The study's parameters: one frozen model a section of params.yaml, a module for each group of sections."""
