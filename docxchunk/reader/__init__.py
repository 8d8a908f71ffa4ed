"""What the file means: from the parts of a package to a Document."""
