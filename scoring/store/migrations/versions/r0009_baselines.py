"""Add which teams are baselines."""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column that marks a team as a baseline."""
    op.add_column("team", sa.Column("baseline", sa.Boolean, nullable=False, server_default=sa.false()))
