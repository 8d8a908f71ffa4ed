"""Stages: functions from a list of pieces to a list of pieces."""
