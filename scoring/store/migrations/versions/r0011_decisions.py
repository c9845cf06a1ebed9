"""Add decision rules and final rankings."""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the tables of decision rules and final rankings."""
    op.create_table(
        "decision_rule",
        sa.Column("board_id", sa.String(200), sa.ForeignKey("board.id"), primary_key=True),
        sa.Column("created", sa.String(40), nullable=False),
        sa.Column("program", sa.String(40), nullable=False),
        sa.Column("sha256", sa.String(64), nullable=False),
        sa.Column("rule", sa.JSON, nullable=False),
        sa.Column("later", sa.JSON, nullable=False),
    )
    op.create_table(
        "final_ranking",
        sa.Column("board_id", sa.String(200), sa.ForeignKey("board.id"), primary_key=True),
        sa.Column("created", sa.String(40), nullable=False),
        sa.Column("program", sa.String(40), nullable=False),
        sa.Column("truth", sa.String(64), nullable=False),
        sa.Column("submissions", sa.String(64), nullable=False),
        sa.Column("sha256", sa.String(64), nullable=False),
        sa.Column("ranking", sa.JSON, nullable=False),
    )
