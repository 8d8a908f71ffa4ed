"""Render the tables, equations and pictures of a block in the form that chunks show."""
