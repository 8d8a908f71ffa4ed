"""Tokenizers and models. Only these modules import machine-learning libraries."""
