"""Evaluate chunkers by retrieval: questions with gold spans, retrievers, metrics on spans, and a
report.
"""
