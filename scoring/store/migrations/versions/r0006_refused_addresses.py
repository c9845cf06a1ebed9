"""Add addresses that were refused to people."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the table of refused addresses."""
    op.create_table(
        "refused_address",
        sa.Column("person", sa.String(400), primary_key=True),
        sa.Column("address", sa.String(200), primary_key=True),
        sa.Column("day", sa.String(10), primary_key=True),
        sa.Column("reason", sa.String(8), primary_key=True),
    )
