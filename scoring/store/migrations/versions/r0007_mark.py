"""Add the mark of the store, and which boards were imported."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the tables that record the owner of the files and imported boards."""
    op.create_table("store", sa.Column("id", sa.String(32), primary_key=True))
    op.create_table(
        "imported",
        sa.Column("board_id", sa.String(200), sa.ForeignKey("board.id"), primary_key=True),
        sa.Column("created", sa.String(40), nullable=False),
    )
