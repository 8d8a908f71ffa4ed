"""Convert values to JSON records and back. Names and order of the fields are those of the JSON
Schemas.
"""
