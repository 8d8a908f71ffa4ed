"""Header rows and header columns of tables, as marked or inferred."""
