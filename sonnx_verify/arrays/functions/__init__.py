"""Functions of reals on whole arrays of doubles, with proven bounds: as one double, or as a pair of them."""
