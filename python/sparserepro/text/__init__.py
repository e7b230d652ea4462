"""Sentences and numbers of the prose."""
