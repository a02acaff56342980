"""Formal texts as Markdown with formulas: what a page can quote, and how a quotation is kept."""
