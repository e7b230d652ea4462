"""Configurations: read, checked, and made into jobs."""
