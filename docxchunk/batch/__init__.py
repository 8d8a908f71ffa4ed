"""Many files: what the paths mean, what is done with each, and the processes that do it."""
