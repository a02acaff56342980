"""The questions of a notebook, an editor or a command to a project: texts to obligations, decided or recalled."""
