import pytest

from tests.support import processes


@pytest.fixture(scope="module", autouse=True)
def models_run_here() -> None:
    """No: in confined processes, as users have it."""


@pytest.fixture(autouse=True)
def only_own_children():
    """Models that pages of other tests hold open are no concern of these."""
    processes.others.clear()
    processes.others.update(processes.living())


@pytest.fixture(autouse=True)
def a_worker_for_each_core(one_worker_for_a_model, monkeypatch) -> None:
    """As users have it: other tests start one."""
    monkeypatch.setattr("scoring.inference.model_pool.cores", one_worker_for_a_model)
