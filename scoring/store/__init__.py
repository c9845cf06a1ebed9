"""Store of a server: boards and kept submissions in a database (`schema`), files beside it.

`database.migrate` upgrades an older one by the scripts of `migrations`.

Nothing of it is imported before a command or page needs it: SQLAlchemy takes a second to import.
"""
