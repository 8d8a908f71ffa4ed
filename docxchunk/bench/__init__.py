"""Measure the speed of docxchunk relative to a lower bound on the same machine, and to other
programs on the same files.
"""
