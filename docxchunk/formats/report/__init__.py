"""Render a document with its chunks, or the changes between two versions, as one self-contained
HTML page.
"""
