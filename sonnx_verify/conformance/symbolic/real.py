"""numpy's makers of arrays as they are: while code runs on symbolic arrays, those of numpy itself are replaced."""

from numpy import array, asarray, empty, ones, zeros

__all__ = ["array", "asarray", "empty", "ones", "zeros"]
