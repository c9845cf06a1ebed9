"""Add phases with limits, refused files that are kept, and which submissions an organizer dated."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the tables of phases and of refused files."""
    op.add_column("board", sa.Column("keep_refused", sa.Boolean, nullable=False, server_default=sa.false()))
    op.add_column("submission", sa.Column("phase", sa.String(200), nullable=True))
    op.add_column("submission", sa.Column("dated", sa.Boolean, nullable=False, server_default=sa.false()))
    op.create_table(
        "phase",
        sa.Column("board_id", sa.String(200), sa.ForeignKey("board.id"), primary_key=True),
        sa.Column("name", sa.String(200), primary_key=True),
        sa.Column("opens", sa.String(40), nullable=True),
        sa.Column("closes", sa.String(40), nullable=True),
        sa.Column("per_day", sa.Integer, nullable=True),
        sa.Column("total", sa.Integer, nullable=True),
    )
    op.create_table(
        "refused",
        sa.Column("id", sa.String(200), primary_key=True),
        sa.Column("board_id", sa.String(200), sa.ForeignKey("board.id"), nullable=False, index=True),
        sa.Column("team", sa.String(200), nullable=False),
        sa.Column("name", sa.String(200), nullable=False),
        sa.Column("sha256", sa.String(64), nullable=False),
        sa.Column("created", sa.String(40), nullable=False),
        sa.Column("problems", sa.JSON, nullable=False),
        sa.UniqueConstraint("board_id", "team", "sha256"),
    )
