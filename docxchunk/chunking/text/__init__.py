"""Measure and split text: tokens, words, sentences, break levels."""
