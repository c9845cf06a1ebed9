"""Make the tables of boards."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create the tables of boards."""
    op.create_table(
        "board",
        sa.Column("id", sa.String(200), primary_key=True),
        sa.Column("challenge", sa.String(200), nullable=False),
        sa.Column("title", sa.String(200), nullable=False),
        sa.Column("counts", sa.String(8), nullable=False),
        sa.Column("options", sa.JSON, nullable=False),
        sa.Column("created", sa.String(40), nullable=False),
        sa.Column("version", sa.Integer, nullable=False),
    )
    op.create_table(
        "test_set",
        sa.Column("board_id", sa.String(200), sa.ForeignKey("board.id"), primary_key=True),
        sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("name", sa.String(200), nullable=False),
        sa.Column("sha256", sa.String(64), nullable=False),
        sa.Column("created", sa.String(40), nullable=False),
    )
    op.create_table(
        "team",
        sa.Column("board_id", sa.String(200), sa.ForeignKey("board.id"), primary_key=True),
        sa.Column("name", sa.String(200), primary_key=True),
        sa.Column("created", sa.String(40), nullable=False),
    )
    op.create_table(
        "submission",
        sa.Column("id", sa.String(200), primary_key=True),
        sa.Column("board_id", sa.String(200), sa.ForeignKey("board.id"), nullable=False, index=True),
        sa.Column("team", sa.String(200), nullable=False),
        sa.Column("name", sa.String(200), nullable=False),
        sa.Column("sha256", sa.String(64), nullable=False),
        sa.Column("options", sa.JSON, nullable=False),
        sa.Column("created", sa.String(40), nullable=False),
        sa.Column("excluded", sa.String, nullable=True),
        sa.UniqueConstraint("board_id", "team", "sha256"),
        sa.ForeignKeyConstraint(["board_id", "team"], ["team.board_id", "team.name"]),
    )
    op.create_table(
        "scoring",
        sa.Column("submission_id", sa.String(200), sa.ForeignKey("submission.id"), primary_key=True),
        sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("board_id", sa.String(200), nullable=False, index=True),
        sa.Column("score", sa.Double, nullable=True),
        sa.Column("low", sa.Double, nullable=True),
        sa.Column("high", sa.Double, nullable=True),
        sa.Column("card", sa.String(64), nullable=True),
        sa.Column("problems", sa.JSON, nullable=False),
        sa.Column("program", sa.String(40), nullable=False),
        sa.ForeignKeyConstraint(["board_id", "number"], ["test_set.board_id", "test_set.number"]),
    )
