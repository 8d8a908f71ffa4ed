"""Find the header rows and header columns of tables, marked or inferred."""
