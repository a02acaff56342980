"""The commands of `page`."""
