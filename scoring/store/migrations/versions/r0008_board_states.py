"""Add decimals and spent bits of a hidden truth, visibility of a board, and why a team does not count."""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the columns for the visibility of boards."""
    op.add_column("hidden", sa.Column("decimals", sa.Integer, nullable=False, server_default="3"))
    op.add_column("hidden", sa.Column("spent", sa.Double, nullable=False, server_default="0"))
    op.add_column("board", sa.Column("visibility", sa.String(8), nullable=False, server_default="unlisted"))
    op.add_column("team", sa.Column("excluded", sa.String, nullable=True))
