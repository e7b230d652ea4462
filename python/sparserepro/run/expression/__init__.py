"""The matrix expression of the triangles problem, which Python evaluates after the driver's job."""

PROBLEM = "triangles"
NAME = "matrix_expression"
REFERENCE = "serial"
"""The driver's algorithm whose record gives the count, and the rate of copying, of one thread."""
PARAMETER = "tool"
