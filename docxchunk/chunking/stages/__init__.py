"""The verbs: each turns a list of pieces into another."""
