"""Python of the pipeline: statistics of measured times, and what the command `sparserepro` does."""
