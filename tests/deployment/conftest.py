"""PostgreSQL for copies of the app, and stores of their own."""

from tests.boards.conftest import place  # noqa: F401
from tests.support.databases import postgresql, postgresql_server  # noqa: F401
