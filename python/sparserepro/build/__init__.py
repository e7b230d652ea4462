"""Drivers: built, and what their timings depend on."""
