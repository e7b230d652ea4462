"""What ends `sparserepro export` and `sparserepro import` with a message."""


class BundleError(Exception):
    """A bundle cannot be made, or results may not enter; the message says why."""
