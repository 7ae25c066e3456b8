"""What `import bertillon` offers, and what it costs."""

from __future__ import annotations

import inspect
import json
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

import bertillon as bt

HEAVY = ("numpy", "scipy", "polars", "pandas", "numba", "matplotlib", "sklearn", "h5py", "rich", "click")


@pytest.mark.parametrize("name", bt.__all__)
def test_every_name_offered_is_there(name):
    assert getattr(bt, name) is not None
    assert name in dir(bt)


def test_no_name_is_offered_twice():
    assert len(bt.__all__) == len(set(bt.__all__))


def test_names_offered_to_type_checkers_are_those_offered_to_programs():
    """Programs read the stub too, so that the two cannot drift apart; each name stands in it once."""
    stub = Path(str(bt.__file__)).with_suffix(".pyi").read_text()
    for_checkers = re.findall(r" as (\w+)$", stub, re.MULTILINE)
    assert sorted(for_checkers) == sorted(bt.__all__)


def test_each_name_comes_from_the_module_it_is_said_to():
    for name in set(bt.__all__) - {"__version__"}:
        thing = getattr(bt, name)
        assert (thing.__name__ if isinstance(thing, ModuleType) else thing.__module__).startswith("bertillon.")


def test_there_are_about_thirty_names_and_the_rest_is_in_namespaces():
    names = [name for name in bt.__all__ if not isinstance(getattr(bt, name), ModuleType)]
    assert len(names) <= 34


def documented() -> dict[str, object]:
    """Every function and class that `bt`, `bt.plot` and `bt.simulate` offer."""
    spaces = {"": bt, "plot.": bt.plot, "simulate.": bt.simulate}
    found = {f"{space}{name}": getattr(home, name) for space, home in spaces.items() for name in home.__all__}
    return {name: thing for name, thing in found.items() if callable(thing)}


@pytest.mark.parametrize("name", documented())
def test_every_public_name_says_what_it_takes_and_shows_how(name):
    """NumPy-style sections; examples are run with all doctests."""
    thing = documented()[name]
    text = inspect.getdoc(thing) or ""
    error = isinstance(thing, type) and issubclass(thing, Exception)
    assert ">>> " in text, "an example that runs"
    if not error:
        assert "Parameters\n----------" in text
    if inspect.isfunction(thing):
        assert "Returns\n-------" in text


def test_a_name_not_offered_is_an_attribute_error():
    with pytest.raises(AttributeError, match="No bertillon attribute nothing"):
        bt.nothing  # noqa: B018
    with pytest.raises(ImportError):
        exec("from bertillon import nothing")


def loaded_after(code: str) -> set[str]:
    """Which of the heavy packages a fresh interpreter has loaded after the code."""
    show = f"import sys, json; {code}; print(json.dumps([name for name in {HEAVY!r} if name in sys.modules]))"
    ran = subprocess.run([sys.executable, "-c", show], capture_output=True, text=True, check=True)
    return set(json.loads(ran.stdout))


def test_importing_loads_nothing_heavy():
    """DESIGN 8: small inputs never pay for big ones."""
    assert loaded_after("import bertillon") == set()


def test_a_small_evaluation_loads_neither_compiler_nor_figures():
    code = "import bertillon as bt; bt.evaluate(bt.ScoreSet([1, 2], [0, 1])).to_json()"
    assert loaded_after(code) == {"numpy"}
