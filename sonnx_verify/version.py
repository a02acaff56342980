"""The version of this package."""

__version__ = "0.1.0"
TOOL = {"name": "sonnx-verify", "version": __version__}
"""The tool as its files and answers name it."""
