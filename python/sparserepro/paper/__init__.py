"""The short report: the originals' claims beside the cells, numbers of the prose, and figures."""
