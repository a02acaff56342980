"""What is wrong with a page, by rules: each finding has a place and, where it is mechanical, a mend."""
