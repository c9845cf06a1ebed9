"""Migrations of the tables of a store: a file per change, in `versions`, for Alembic."""
