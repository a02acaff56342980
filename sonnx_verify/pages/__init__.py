"""Pages that people write beside formal texts: read, rendered, checked, begun."""
