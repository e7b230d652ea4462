"""Thin adapters: the kernels as an operator of PyTorch, in place of a call of CuPy, and for edge
lists. Each module is imported by its name."""
