"""Files that are kept: the cache, ledgers, generated files. Written whole, verified on read."""
