"""Check all quotations of a memo."""
