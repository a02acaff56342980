"""Records: what was found out about targets, committed, in the folders of operators."""
