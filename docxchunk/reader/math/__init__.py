"""Convert Office Math (ECMA-376 Part 1, 22.1) to LaTeX."""
