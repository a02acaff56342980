"""Help for authors: why a clause is there, a clause that mends a text, mutations that no statement notices."""
