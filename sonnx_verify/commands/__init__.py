"""What each command does: one module each, called by `cli`."""
