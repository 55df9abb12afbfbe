"""The log in a SQL database: everything that imports SQLAlchemy, and nothing else does but tools and migrations."""
