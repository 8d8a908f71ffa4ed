"""Prompts, reranking, and checks of the answers of models."""
