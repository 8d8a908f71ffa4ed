"""The stages that P runs only with `sizes=seed`: bridges between tables, splits at anchors, part
numbers, merging by level.
"""
