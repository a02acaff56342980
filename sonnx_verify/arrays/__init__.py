"""Specifications on arrays: evaluated with numpy, and on shapes whose sizes are symbols."""
