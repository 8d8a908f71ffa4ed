"""Word files in, blocks and chunks out."""

__version__ = "0.1.0"
