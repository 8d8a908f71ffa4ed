"""What the file says: the package, its parts, styles and numbers; nothing about what they mean for blocks."""
