"""Store of a server: boards and saved submissions in a database, with files beside it.

* open, lock, upgrade: `database.open_store`, `database.Store`, `database.migrate` (scripts: `migrations`)
* tables: `schema`; files by SHA-256, in a folder or bucket: `kept_files.FileStore`; a store's own files:
  `mark.is_own`
* delete rows and their files without traces on the disk: `secure_delete.begin_deletion`, `finish_deletions`;
  after a program was killed: `secure_delete.finish_left`

A visitor's own submissions are kept and deleted by `scoring.history.keeping`.
Commands and pages import this package only when they need it, because importing SQLAlchemy takes a second.
"""
