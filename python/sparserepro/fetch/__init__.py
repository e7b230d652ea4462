"""Matrices: found, downloaded and described."""
