"""Many documents: which are read, their index, and search."""
