"""What ends `./measure` with one message."""


class MeasureError(Exception):
    """Measuring cannot begin or go on; the message says why and what helps."""
