"""Measure the speed of docxchunk and of models on this machine."""
