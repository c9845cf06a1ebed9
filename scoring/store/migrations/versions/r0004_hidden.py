"""Add hidden truths, members of teams, attempts of participants, and revocations."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the tables of hidden truths, members and revoked logins."""
    op.create_table(
        "hidden",
        sa.Column("board_id", sa.String(200), sa.ForeignKey("board.id"), primary_key=True),
        sa.Column("detail", sa.String(8), nullable=False),
        sa.Column("step", sa.Double, nullable=True),
        sa.Column("refused_per_day", sa.Integer, nullable=False),
    )
    op.create_table(
        "member",
        sa.Column("board_id", sa.String(200), sa.ForeignKey("board.id"), primary_key=True),
        sa.Column("team", sa.String(200), primary_key=True),
        sa.Column("who", sa.String(200), primary_key=True),
    )
    op.create_table(
        "attempt",
        sa.Column("id", sa.String(200), primary_key=True),
        sa.Column("board_id", sa.String(200), sa.ForeignKey("board.id"), nullable=False, index=True),
        sa.Column("team", sa.String(200), nullable=False),
        sa.Column("person", sa.String(400), nullable=False),
        sa.Column("created", sa.String(40), nullable=False),
        sa.Column("outcome", sa.String(64), nullable=False),
        sa.Column("sha256", sa.String(64), nullable=False),
        sa.Column("near", sa.String(200), nullable=True),
    )
    op.create_table(
        "revocation",
        sa.Column("person", sa.String(400), primary_key=True),
        sa.Column("not_before", sa.Double, nullable=False),
    )
