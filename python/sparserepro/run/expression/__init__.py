"""The matrix expression of the triangles problem, which Python evaluates after the driver's job."""
