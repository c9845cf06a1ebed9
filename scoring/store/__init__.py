"""Store of a server: boards and kept submissions in a database, files beside it.

* open, lock, upgrade: `database.open_store`, `database.Store`, `database.migrate` (scripts: `migrations`)
* tables: `schema`; files by SHA-256, in a folder or bucket: `kept_files.FileStore`;
  a store's own files: `mark.is_own`
* deletion that leaves nothing on the disk: `secure_delete.sweep`, `secure_delete.vacuum`

Nothing of it is imported before a command or page needs it: SQLAlchemy takes a second to import.
"""
