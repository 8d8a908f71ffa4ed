"""The built-in chunking strategies: their settings, and the stages each one runs."""
