"""Measurements for the documentation, run in a checkout: published sets of questions, other
programs, and machines. They are not in the wheel.
"""
