"""The recipes: what runs in which order, with which settings."""
