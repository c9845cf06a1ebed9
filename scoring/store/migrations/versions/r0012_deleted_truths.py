"""Add the bits that deleted boards revealed of their test sets."""

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the table that counts what deleted boards revealed of their test sets."""
    op.create_table(
        "deleted_truth",
        sa.Column("sha256", sa.String(64), primary_key=True),
        sa.Column("spent", sa.Double, nullable=False),
    )
