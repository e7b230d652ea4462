"""Measures from an exported bundle, on a machine that may lack a network and all Python packages.

Python 3.9 and its standard library are enough for these modules, and they import no others.
"""
