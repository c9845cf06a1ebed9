"""Add facts about teams, and a metadata table to test sets."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the columns with facts about teams and the metadata of test sets."""
    op.add_column("team", sa.Column("facts", sa.JSON, nullable=True))
    op.add_column("test_set", sa.Column("metadata_sha256", sa.String(64), nullable=True))
