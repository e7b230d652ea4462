"""Jobs: planned, forecast and run."""
