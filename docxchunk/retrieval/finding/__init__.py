"""Places of a document: their names, phrases, definitions and references."""
