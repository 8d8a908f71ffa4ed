"""Causal language models in this process, and models on servers."""
