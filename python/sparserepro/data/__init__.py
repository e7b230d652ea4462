"""Records: collected, joined and compared."""
