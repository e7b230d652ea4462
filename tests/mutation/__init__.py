"""Mutants: named faults in the sources, and which of them the tests catch (tests/mutate)."""
