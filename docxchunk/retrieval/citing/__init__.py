"""Check quotations."""
