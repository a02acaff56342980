"""Other people's code, held against a specification."""
