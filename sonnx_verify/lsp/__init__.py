"""Answers to an editor while a specification or a page is written: the language server."""
