"""Chunks for other frameworks, each in its own terms. Every module needs the extra of its name."""
