"""Moving whole logs: into plain files, out of them, and from one database to another."""
