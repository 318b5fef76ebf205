"""One module a stage: reads its inputs, calls the core, writes its outputs."""
