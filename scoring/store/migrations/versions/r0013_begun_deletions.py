"""Add the deletions that were begun and not finished."""

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the table of deletions whose files or log are not deleted yet."""
    op.create_table("begun_deletion", sa.Column("id", sa.String(32), primary_key=True))
