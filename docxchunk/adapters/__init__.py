"""Adapters for retrieval frameworks. Each module needs the extra of its name."""
