"""Bundles: what a machine without a network needs to measure, and the results that come back."""
