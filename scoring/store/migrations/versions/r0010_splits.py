"""Add shown and withheld parts of test sets, and which submission a team nominates."""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column and tables for split test sets."""
    op.add_column("team", sa.Column("nominated", sa.String(200), nullable=True))
    op.create_table(
        "split",
        sa.Column("board_id", sa.String(200), sa.ForeignKey("board.id"), primary_key=True),
        sa.Column("cases", sa.JSON, nullable=False),
        sa.Column("share", sa.Double, nullable=True),
        sa.Column("seed", sa.Integer, nullable=True),
        sa.Column("created", sa.String(40), nullable=False),
    )
    op.create_table(
        "shown_part",
        sa.Column("submission_id", sa.String(200), sa.ForeignKey("submission.id"), primary_key=True),
        sa.Column("number", sa.Integer, primary_key=True),
        sa.Column("board_id", sa.String(200), nullable=False, index=True),
        sa.Column("score", sa.Double, nullable=True),
        sa.Column("low", sa.Double, nullable=True),
        sa.Column("high", sa.Double, nullable=True),
        sa.Column("card", sa.String(64), nullable=False),
        sa.ForeignKeyConstraint(["board_id", "number"], ["test_set.board_id", "test_set.number"]),
    )
