"""What a notebook, an editor or a command asks of a project: texts to obligations, decided or recalled."""
