"""What a library prints when it panics is kept from the error stream, and nothing else is."""

from __future__ import annotations

import os
import subprocess
import sys
import threading

import pytest

from bertillon.io import suppressed_panics

PANIC = (
    b"\nthread 'tokio-1' (42) panicked at crates/parquet/src/read.rs:301:37:\n"
    b"called `Option::unwrap()` on a `None` value\n"
    b"note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace\n"
)


@pytest.mark.parametrize("before", [b"", b"progress 1\n"])
@pytest.mark.parametrize("after", [b"", b"progress 2\n"])
def test_a_panic_is_dropped_and_the_rest_passed_on(capfd, before, after):
    with suppressed_panics():
        os.write(2, before + PANIC + after + PANIC)
    assert capfd.readouterr().err.encode() == before + after


def test_a_panic_that_was_cut_short_is_dropped_too(capfd):
    with suppressed_panics():
        os.write(2, b"said\n" + PANIC[:-60])
    assert capfd.readouterr().err == "said\n"


def test_what_is_said_afterwards_comes_through_also_after_an_error(capfd):
    with pytest.raises(ZeroDivisionError), suppressed_panics():
        1 / 0  # noqa: B018
    os.write(2, PANIC)
    assert capfd.readouterr().err.encode() == PANIC


def test_several_threads_may_be_inside(capfd):
    barrier = threading.Barrier(4)

    def work(number: int) -> None:
        for _ in range(20):
            with suppressed_panics():
                barrier.wait()
                os.write(2, PANIC)
                os.write(2, b"%d\n" % number)
                barrier.wait()

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    said = capfd.readouterr().err
    assert "panicked" not in said
    assert sorted(said.split()) == sorted("0123" * 20)


def test_a_process_without_an_error_stream_reads_all_the_same():
    opened = "import os; os.close(2)\nfrom bertillon.io.parquet import suppressed_panics\n"
    code = f"{opened}with suppressed_panics(): print('in')"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (ran.returncode, ran.stdout) == (0, "in\n")
