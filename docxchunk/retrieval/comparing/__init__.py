"""Two versions of a document: changes, tracked changes and comments."""
