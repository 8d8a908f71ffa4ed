"""What is written, as JSON objects: each value to a record and back. Names and order of the fields are those of the schemas."""
