"""Tables of the report, one file a table or a few alike."""
