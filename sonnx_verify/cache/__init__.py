"""What earlier runs found, kept outside the project: it saves time, and no verdict rests on it alone."""
