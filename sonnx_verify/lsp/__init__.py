"""What an editor is told while a specification or a page is written: the language server."""
