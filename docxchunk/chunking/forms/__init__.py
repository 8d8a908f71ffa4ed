"""How chunks show the tables, equations and pictures of a block."""
