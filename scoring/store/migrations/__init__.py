"""Migrations of a store's tables for Alembic: one file per change, in `versions`."""
