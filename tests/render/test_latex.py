"""Tables as LaTeX: that they would compile, and that names stay text."""

from __future__ import annotations

import math
import re
import shutil
import subprocess

import pytest
from render.cases import FINDINGS, NASTY

from bertillon.render import WRITERS, latex_escaped, table_latex
from bertillon.views import Cell, Column, Table

COMMANDS = {
    *("begin", "end", "centering", "caption", "label", "toprule", "midrule", "bottomrule", "footnotesize", "textbf"),
    *("textbackslash", "textasciicircum", "textasciitilde", "leq", "geq", "times", "pm", "dots", "rightarrow"),
    *("small", "setlength", "tabcolsep"),
}
LETTERS = r"""\{}$&#%_^~<>|"[]*'"""


def written(kind: str, lang: str = "en") -> str:
    return WRITERS[".tex"](FINDINGS[kind], lang)


def without_escapes(text: str) -> str:
    """What is left to be read by TeX once escaped signs and comments are gone."""
    body = "\n".join(line for line in text.splitlines() if not line.startswith("%"))
    return re.sub(r"\\\\", "\n", re.sub(r"\\[{}$&#%_,]", "", re.sub(r"\\\\(?=\s|$)", "\x00", body)))


@pytest.mark.parametrize("kind", FINDINGS)
def test_only_known_commands_and_balanced_braces(kind: str) -> None:
    text = without_escapes(written(kind))
    assert set(re.findall(r"\\([A-Za-z]+)", text)) <= COMMANDS
    assert text.count("{") == text.count("}")
    assert text.count("$") % 2 == 0
    for sign in ("#", "_", "^", "%"):
        assert sign not in text, sign
    depth = 0
    for brace in re.findall(r"[{}]", text):
        depth += 1 if brace == "{" else -1
        assert depth >= 0
    assert re.findall(r"\\begin\{(\w+)\}", text) == ["table", "tabular"] * text.count("\\begin{table}")
    assert text.count("\\begin{table}") == text.count("\\end{table}") > 0


@pytest.mark.parametrize("kind", FINDINGS)
def test_every_row_has_as_many_cells_as_there_are_columns(kind: str) -> None:
    text = written(kind)
    for columns, body in re.findall(r"\\begin\{tabular\}\{((?:[lr]|p\{5cm\})+)\}\n(.*?)\\end\{tabular\}", text, re.S):
        expected = len(re.sub(r"p\{5cm\}", "p", columns))
        rows = [line for line in body.splitlines() if line.endswith(r"\\")]
        assert rows
        for row in rows:
            assert len(re.findall(r"(?<!\\)&", row)) == expected - 1, row
            assert not row.startswith(("[", "*"))


def test_every_sign_is_escaped_by_hand() -> None:
    assert latex_escaped(LETTERS) == (
        r"\textbackslash{}\{\}\$\&\#\%\_\textasciicircum{}\textasciitilde{}$<$$>$$|$''[]*'"
    )
    assert latex_escaped("12\u202f345 \u2265 3") == r"12\,345 $\geq$ 3"
    assert latex_escaped("line\nbreak\x00") == "line break\ufffd"


def test_intervals_and_bounds_are_there() -> None:
    text = written("one system")
    assert r"95\,\% interval" in text
    assert re.search(r"EER & \d+\.\d~\\% & 12 to 23~\\% &", text)
    assert "by hand" in text  # how the intervals were found stands in the caption
    assert "interval" not in written("one system without intervals").split("\\begin{tabular}")[1].split("\n")[1]


def test_letters_beyond_latin_are_kept_and_pointed_out() -> None:
    assert "xelatex" in written("one system", "zh")
    assert "xelatex" not in written("one system", "it")


@pytest.mark.parametrize("kind", FINDINGS)
def test_it_compiles_against_pdflatex(kind: str, tmp_path, missing) -> None:
    if shutil.which("pdflatex") is None:
        missing("latex", "pdflatex is not installed")
    head = "\\documentclass{article}\\usepackage[utf8]{inputenc}\\usepackage{booktabs}\\begin{document}\n"
    (tmp_path / "paper.tex").write_text(f"{head}{written(kind)}\\end{{document}}\n")
    ran = subprocess.run(["pdflatex", "-halt-on-error", "paper.tex"], cwd=tmp_path, capture_output=True, check=False)
    assert ran.returncode == 0, ran.stdout[-2000:]


def test_a_bracket_at_the_start_of_a_row_is_no_argument_of_the_row_before() -> None:
    cells = [(Cell("[sum]"), Cell("1", key=1.0)), (Cell("*star"), Cell("2", key=2.0))]
    text = table_latex(Table("t", "c", (Column("name", False), Column("value")), tuple(cells)), "caption")
    assert "\n{}[sum] & 1 \\\\\n{}*star & 2 \\\\\n" in text


def test_a_missing_number_says_why_under_the_table() -> None:
    cells = ((Cell("EER"), Cell("undefined", key=math.nan, note=("no mated scores",))),)
    text = table_latex(Table("t", "c", (Column("name", False), Column("value")), cells), "caption")
    assert "\\caption{caption EER: no mated scores.}" in text
    assert "footnotesize" not in text


def test_a_nasty_name_stands_in_the_table() -> None:
    assert r"50\% of A\&B\_1 $|$ \#2 \{x\} \textbackslash{}end\{table\}" in written("several systems")
    assert NASTY not in written("several systems")


@pytest.mark.parametrize(("letters", "size"), [(10, ""), (20, "\\small\n"), (40, "\\footnotesize\\setlength")])
def test_wide_tables_are_set_in_smaller_letters(letters: int, size: str) -> None:
    """A row of 65, 75 and 95 letters, spaces between columns counted: an article holds some 72."""
    heads = ["a" * 43, "b" * (letters + 6)]
    table = Table.under(heads, [(Cell("x"), Cell("y"))], id="t", caption="c")
    assert f"\\centering\n{size}" in table_latex(table, "c")
    assert ("small" in table_latex(table, "c") or "footnotesize" in table_latex(table, "c")) is bool(size)
