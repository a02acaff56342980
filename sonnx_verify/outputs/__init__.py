"""What CI jobs read: one record of a run, and each form that it is written in."""
