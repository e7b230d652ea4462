"""One file to explore the measured cells in a browser: report.html."""
