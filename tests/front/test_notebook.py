"""A notebook is executed by a kernel of its own; what it displays is looked at."""

from __future__ import annotations

import nbclient
import nbformat
import pytest

CELLS = [
    "import bertillon as bt\ne = bt.evaluate([0.4, 0.6, 0.7, 0.8], [0.1, 0.2, 0.3, 0.5, 0.65], name='ours')\ne",
    "bt.eer([0.4, 0.6, 0.7, 0.8], [0.1, 0.2, 0.3, 0.5, 0.65])",
    "bt.compare({'old': e, 'new': e}, 'EER')",
    "e.trials",
    "e.plot.det();",
    "e.with_intervals(resamples=50)",
    "bt.evaluate(y_true=[0, 1, 0, 1], y_pred=[0, 1, 1, 1])",
]


@pytest.fixture(scope="module")
def outputs():
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in CELLS])
    notebook.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3", "language": "python"}
    nbclient.NotebookClient(notebook, timeout=120).execute()
    return [[output.data for output in cell.outputs if "data" in output] for cell in notebook.cells]


def test_results_are_displayed_as_tables(outputs):
    for place, words in {0: "EER", 2: "new", 5: "95", 6: "Accuracy"}.items():
        (shown,) = outputs[place]
        assert "<table>" in shown["text/html"]
        assert words in shown["text/html"]


def test_a_number_is_a_line_and_a_trial_set_is_no_array(outputs):
    assert "EER 25 % (threshold 0.575)" in outputs[1][0]["text/html"]
    assert outputs[3][0]["text/plain"] == "<ScoreSet of ours: 4 mated, 5 nonmated; similarity>"


def test_a_figure_is_displayed_once(outputs):
    assert ["image/png" in shown for shown in outputs[4]] == [True]
