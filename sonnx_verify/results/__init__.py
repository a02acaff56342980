"""Records of what was decided, and how their values are printed: plain data that every report reads."""
