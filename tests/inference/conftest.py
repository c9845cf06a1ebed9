import pytest

from tests.support import processes


@pytest.fixture(autouse=True)
def only_own_children():
    """Models that pages of other tests hold open are no concern of these."""
    processes.others.clear()
    processes.others.update(processes.living())
