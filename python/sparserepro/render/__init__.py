"""LaTeX: text, tables and the document."""
