"""The store: boards with their test sets, teams and submissions, and kept submissions, in a database
(`schema` has its tables); their files in a folder beside it.

Nothing of it is imported before a command or page needs it: SQLAlchemy takes a second to import.
"""
