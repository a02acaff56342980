"""Pages that people write: read into one model, whatever they are written in."""
