"""Figures of the report, one file a kind. Each file lists its figures in `PLATES`, and is found by
that alone."""
