"""A playground: a page in a browser that checks a formal text while it is edited.

`server` answers HTTP on this machine alone, to whoever knows the token of the address; `jobs` has one request worked on
at a time, in a process with limits; `child` is that process, seen from inside; `requests` are what it is asked and
`replies` what it says; `static` is the page, `examples` the texts that it offers.

A verdict on the page is that of `check` for the same text. No file is read but those of the package, and none is
written but those of the cache.
"""
