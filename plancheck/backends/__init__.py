"""The only importers of torch, transformers and sentence-transformers: models behind the core's small ports."""
