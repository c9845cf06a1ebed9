"""Store of a server: boards and kept submissions in a database (`schema`, `migrations`), files beside it.

Nothing of it is imported before a command or page needs it: SQLAlchemy takes a second to import.
"""
