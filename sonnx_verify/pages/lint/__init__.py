"""Rules on pages: each finding has a place and, where it is mechanical, a mend."""
