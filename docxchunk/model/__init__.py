"""Immutable data classes shared by all packages. They use the standard library only and do no input
or output.
"""
