"""Search in documents, read them in parts, and check quotations: for people, programs and
agents.
"""
