"""The files on disk: a parsed folder and what stands in it."""
