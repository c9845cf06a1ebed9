"""How the tables of a store came to be: a file per change, in `versions`, for Alembic."""
