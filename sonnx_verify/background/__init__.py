"""Checks in processes of their own, for whoever shows verdicts while somebody types: an editor, a page in a browser.

`checks` has one process decide what was asked for last while a second one waits; `child` is such a process, seen from
inside; `messages` are what it says. What is decided, and how, is that of `check`.
"""
