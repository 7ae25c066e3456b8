"""A dask cluster gives the answer of the threads to the last bit, whatever becomes of its workers."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time

import numpy as np
import pytest
from engine.cases import Summing, bits_of, bits_of_searches, plan, small_plan, squares

from bertillon.core import BertillonError, InputError
from bertillon.counting import count_comparisons
from bertillon.engine import LIMITS, run_job
from bertillon.trials import search

pytest.importorskip("distributed", reason="dask is not installed")
pytestmark = pytest.mark.filterwarnings("ignore")  # what dask itself warns of is not ours

from bertillon.engine import Dask  # noqa: E402
from bertillon.engine.on_dask import _distributed  # noqa: E402


@pytest.fixture(scope="module")
def cluster():
    """Two local workers, for all tests of this file."""
    with Dask(workers=2) as engine:
        yield engine


def slow(piece: int) -> None:
    time.sleep(0.02)


def broken(piece: int) -> None:
    if piece == 3:
        raise InputError("piece 3 is broken")


def test_every_piece_is_done_once(cluster: Dask) -> None:
    done: list[int] = []
    assert cluster.workers == 2
    found = cluster.run(Summing(40), range(40), done.append)
    assert found.total == squares(40)
    assert sorted(found.pieces) == sorted(done) == list(range(40))


@pytest.mark.parametrize("how", ["cosine", "euclidean", "manhattan"])
def test_comparisons_have_the_bits_of_the_threads(how: str, cluster: Dask, tmp_path) -> None:
    comparing = small_plan(how=how)
    threads = bits_of(count_comparisons(comparing, [0.5], tile=8))
    assert bits_of(count_comparisons(comparing, [0.5], tile=8, engine=cluster)) == threads
    assert bits_of(count_comparisons(comparing, [0.5], tile=8, engine=cluster, checkpoint=tmp_path)) == threads
    assert bits_of(count_comparisons(comparing, [0.5], tile=8, checkpoint=tmp_path)) == threads


def test_groups_have_the_bits_of_the_threads(cluster: Dask, tmp_path) -> None:
    comparing, groups = small_plan(people=20), {person: "abc"[person % 3] for person in range(20)}
    found = [
        count_comparisons(comparing, [0.5], groups=groups, tile=8, **where)
        for where in ({}, {"engine": cluster}, {"engine": cluster, "checkpoint": tmp_path}, {"checkpoint": tmp_path})
    ]
    assert len({bits_of(one) for one in found}) == 1
    cells = [[one.groups.cells[pair].tolist() for pair in one.groups.pairs] for one in found]
    assert cells[1:] == cells[:1] * 3
    assert len(cells[0]) == 6


def test_searches_have_the_bits_of_the_threads(cluster: Dask, tmp_path) -> None:
    comparing = small_plan(people=40)
    threads = bits_of_searches(search(comparing))
    assert bits_of_searches(search(comparing, engine=cluster)) == threads
    assert bits_of_searches(search(comparing, engine=cluster, checkpoint=tmp_path)) == threads


def test_failed_templates_fail_there_too(cluster: Dask) -> None:
    values = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], dtype=np.float32)
    counted = count_comparisons(plan(values, [0, 0, 1, 1]), tile=2, engine=cluster)
    assert (counted.failures.mated, counted.failures.nonmated) == (2, 4)


def test_what_goes_wrong_in_a_piece_is_raised_here(cluster: Dask) -> None:
    with pytest.raises(InputError, match="piece 3 is broken"):
        cluster.run(Summing(8, broken), range(8), lambda _: None)
    assert cluster.run(Summing(8), range(8), lambda _: None).total == squares(8)


def kill_one_worker(cluster: Dask, killed: list[int]) -> None:
    pid = next(iter(cluster.client.run(os.getpid).values()))
    os.kill(pid, signal.SIGKILL)
    killed.append(pid)


def test_a_killed_worker_costs_only_its_handful(cluster: Dask) -> None:
    killed: list[int] = []
    threading.Timer(0.3, kill_one_worker, [cluster, killed]).start()
    found = run_job(Summing(80, slow), "adding", engine=cluster)
    assert found.total == squares(80)
    assert sorted(found.pieces) == list(range(80))
    assert len(killed) == 1


def test_the_only_worker_may_die_and_the_job_is_sent_again() -> None:
    killed: list[int] = []
    with Dask(workers=1) as engine:
        threading.Timer(0.3, kill_one_worker, [engine, killed]).start()
        found = run_job(Summing(50, slow), "adding", engine=engine)
    assert found.total == squares(50)
    assert sorted(found.pieces) == list(range(50))
    assert len(killed) == 1


def ears_and_limits(dask_worker) -> tuple[bool, object]:
    return signal.getsignal(signal.SIGINT) == signal.SIG_IGN, dask_worker.memory_manager.memory_limit


def test_local_workers_do_not_hear_ctrl_c_and_have_no_limit_on_memory() -> None:
    """Their master hears it and ends them; a limit would kill a worker for holding the templates."""
    with Dask(workers=1) as engine:
        assert list(engine.client.run(ears_and_limits).values()) == [(True, None)]
    assert signal.getsignal(signal.SIGINT) != signal.SIG_IGN


def test_a_job_that_was_lost_on_its_way_is_sent_again(cluster: Dask, monkeypatch) -> None:
    scatter, failures = cluster.client.scatter, [TimeoutError("too busy"), OSError("connection closed")]

    def failing(*given, **how):
        if failures:
            raise failures.pop()
        return scatter(*given, **how)

    monkeypatch.setattr(cluster.client, "scatter", failing)
    assert cluster.run(Summing(10), range(10), lambda _: None).total == squares(10)
    assert not failures
    monkeypatch.setattr(LIMITS, "max_losses", 1)
    failures += [OSError("gone")] * 2
    with pytest.raises(BertillonError, match="dask workers ended 1 times"):
        cluster.run(Summing(11), range(11), lambda _: None)


def deadly(piece: int) -> None:
    if piece == 2:
        os.kill(os.getpid(), signal.SIGKILL)


@pytest.mark.slow
def test_a_piece_that_kills_every_worker_is_given_up(monkeypatch) -> None:
    """The fast twin is the piece that raises."""
    monkeypatch.setattr(LIMITS, "max_losses", 1)
    with (
        Dask(workers=1) as engine,
        pytest.raises(BertillonError, match="dask workers ended 1 times before their work was done"),
    ):
        run_job(Summing(4, deadly), "adding", engine=engine)


def test_a_running_cluster_is_used_and_left_running(cluster: Dask) -> None:
    address = cluster.client.scheduler.address
    with Dask(address) as engine:
        assert engine.workers == 2
        assert run_job(Summing(10), "adding", engine=engine).total == squares(10)
    assert run_job(Summing(10), "adding", engine=cluster).total == squares(10)


def test_workers_with_several_threads_share_the_templates_of_their_process() -> None:
    import distributed

    comparing = small_plan()
    with (
        distributed.LocalCluster(n_workers=1, threads_per_worker=2, dashboard_address=":0") as started,
        Dask(started.scheduler_address) as engine,
    ):
        assert engine.workers == 2
        assert bits_of(count_comparisons(comparing, tile=8, engine=engine)) == bits_of(
            count_comparisons(comparing, tile=8)
        )


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:1", "nonsense", "tcp://host.invalid:8786"])
def test_an_address_where_nobody_answers_is_refused(address: str, monkeypatch) -> None:
    monkeypatch.setattr(LIMITS, "connect_timeout", 0.3)
    with pytest.raises(InputError, match="no dask scheduler with workers answers at"):
        Dask(address)


def test_without_dask_it_is_said_what_to_install(monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(InputError, match=r"install bertillon\[dask\]"):
        _distributed()
