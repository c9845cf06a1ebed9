"""Make the tables of kept submissions."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create the tables of saved submissions."""
    op.create_table(
        "kept",
        sa.Column("id", sa.String(200), primary_key=True),
        sa.Column("owner", sa.String(200), nullable=False),
        sa.Column("content", sa.String(64), nullable=False),
        sa.Column("challenge", sa.String(200), nullable=False),
        sa.Column("test_set", sa.String(64), nullable=False),
        sa.Column("rules", sa.JSON, nullable=False),
        sa.Column("name", sa.String(200), nullable=False),
        sa.Column("test_set_name", sa.String(200), nullable=False),
        sa.Column("score", sa.Double, nullable=True),
        sa.Column("low", sa.Double, nullable=True),
        sa.Column("high", sa.Double, nullable=True),
        sa.Column("card", sa.String(64), nullable=False),
        sa.Column("page", sa.JSON, nullable=False),
        sa.Column("note", sa.String, nullable=False),
        sa.Column("created", sa.String(40), nullable=False),
        sa.Column("program", sa.String(40), nullable=False),
        sa.UniqueConstraint("owner", "content"),
    )
    op.create_table(
        "kept_file",
        sa.Column("kept_id", sa.String(200), sa.ForeignKey("kept.id"), primary_key=True),
        sa.Column("place", sa.String(16), primary_key=True),
        sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("name", sa.String, nullable=False),
        sa.Column("sha256", sa.String(64), nullable=False),
    )
