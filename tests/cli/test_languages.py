"""--lang on the terminal, in reports and in figures: nothing is left in English; JSON and CSV are the same in all.

A leftover is a run of English words that stands in the output of another language as it stands in the English one.
What comes from the data is cut out first: names of files and columns, options, commands, measures.
"""

from __future__ import annotations

import html
import re
import shlex
from pathlib import Path

import pytest
from net.made import make_files

from bertillon.core import LANGUAGES

OTHERS = LANGUAGES[1:]
EXAMPLES = Path(__file__).parents[2] / "examples"
SAME_WORDS = 4  # as many English words in a row are no coincidence
BRIEF = "--resamples 20"
COMMANDS = {
    "verify": f"verify {{examples}}/genuine.txt {{examples}}/impostor.txt -x 0.01 --preset consumer --explain {BRIEF}",
    "systems": "verify {examples}/old.csv {examples}/new.csv --volume genuine=1000,impostor=10 "
    f"--dev {{examples}}/old.csv --dev {{examples}}/new.csv {BRIEF}",
    "people": "verify {examples}/border.csv -m EER --discard quality_probe,quality_reference --people "
    f"--groups {{made}}/people.csv {BRIEF}",
    "ties": f"verify {{made}}/ties.csv --failed -1 -x 0.1 --nearest {BRIEF}",
    "stream": f"verify {{made}}/stream-1.csv {{made}}/stream-2.csv --stream -m EER -m AUC {BRIEF}",
    "tiles": f"verify {{examples}}/faces.npz -m EER --checkpoint kept {BRIEF}",
    "identify": f"identify {{examples}}/faces.npz --leave-out 0.25 --volume passers=100000,minutes=15 {BRIEF}",
    "modes": f"modes {{examples}}/faces.npz --leave-out 0.25 {BRIEF}",
    "classify": f"classify {{examples}}/screening.csv --cost fn=20,fp=1 --groups site {BRIEF}",
    "several": f"classify {{made}}/classes.csv --calibrate temperature {BRIEF}",
    "compare": f"compare {{examples}}/old.csv {{examples}}/new.csv -m EER -m AUC --margin 0.005 {BRIEF}",
    "attacks": "attacks {examples}/genuine.txt {examples}/impostor.txt --attacks {examples}/attacks.csv",
    "pad": "attacks {examples}/pad.csv --pad -t 0.6",
}
TERMINAL = {
    "reliability": "reliability {made}/matrix.csv",
    "repeat": "repeat {examples}/faces.npz --runs 2 --leave-out 0.25 -m RR",
    "calibrate": "calibrate fit {examples}/screening-dev.csv --method platt -o platt.json",
    "plan": "plan --fnmr 0.02 --samples 3",
    "convert": "convert {examples}/border.csv border.tsv",
    "count": "count {made}/stream-1.csv -o stream.counts",
    "match": "match {made}/small.npz --matcher euclidean --leave-out 0.2 -o scores.csv",
    "split": "split {examples}/faces.npz --leave-out 0.3 --runs 2 -o gallery.csv",
    "inspect-comparisons": "inspect {examples}/border.csv",
    "inspect-templates": "inspect {examples}/faces.npz",
    "inspect-predictions": "inspect {examples}/screening.csv",
    "inspect-attacks": "inspect {examples}/pad.csv",
    "advise": "advise {examples}/screening.csv --balance 0.05 --costs fn --threshold fixed --probabilities yes",
}
FIGURES = ("systems", "people", "identify", "classify")
DATA = re.compile(
    r"\S*/\S+|\S+\.(?:txt|csv|npz|html|json|md|tex|tsv|counts)\b\S*"  # files
    r"|--?[a-z]\S*|bertillon \w+|\w+[=_@\[(]\S*"  # options, commands, columns and measures
    r"|'[^']*'|[0-9a-f]{12,}|Reliability - Resolution \+ Uncertainty \+ Remainder"
)
WORD = re.compile(r"[A-Za-z]?[a-z]+")
IN_WORDS = ("1", "3", "30")  # one; the rules of 3 and of 30
NUMBER = re.compile(r"\d+(?:\.\d+)?")


def runs(text: str, length: int = SAME_WORDS) -> set[tuple[str, ...]]:
    """Every run of so many words; a number, an abbreviation and what comes from the data end one."""
    found, streak = set(), []
    for word in re.findall(r"[^\W_]+|\|", DATA.sub(" | ", text)):
        streak = [*streak, word.lower()] if WORD.fullmatch(word) else []
        if len(streak) >= length:
            found.add(tuple(streak[-length:]))
    return found


def words_of(path: Path) -> str:
    """What a person reads in a report or a figure."""
    text = path.read_text()
    if path.suffix == ".svg":
        return " | ".join(re.findall(r"<!-- (.*?) -->", text, re.DOTALL))
    if path.suffix == ".tex":
        return re.sub(r"\\(?:begin|end|label)\{[^}]*\}(?:\{[lrp]\S*\})?|\\[a-z]+", " | ", text)
    if path.suffix == ".html":
        text = re.sub(r"(?s)<(script|style)[^>]*>.*?</\1>", " ", text)
        return html.unescape(re.sub(r"<[^>]+>", " | ", text))
    return text


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("made")
    make_files(folder)
    return folder


@pytest.fixture
def said(bertillon, made: Path):
    """What a command line says in a language: on the terminal, and in the files that are named."""

    def run(line: str, lang: str, *files: str) -> str:
        ran = bertillon(*shlex.split(line.format(examples=EXAMPLES, made=made)), "--lang", lang)
        assert (ran.code, ran.err) == (0, "")
        return "\n".join([ran.out, *(words_of(path) for file in files for path in sorted(Path().glob(file)))])

    return run


def test_a_leftover_is_seen_and_what_is_data_is_not() -> None:
    assert runs("soglia 0.3: this was left in English") == {
        ("this", "was", "left", "in"),
        ("was", "left", "in", "english"),
    }
    assert runs("one two EER three four") == set()
    assert runs("one two scores/of/a.csv three 'a b c d' four bertillon verify five") == set()


@pytest.mark.parametrize(
    ("name", "suffix"), [*((name, "html") for name in COMMANDS), ("people", "md"), ("people", "tex"), ("pad", "tex")]
)
def test_no_english_is_left_in_reports_and_on_the_terminal(said, name: str, suffix: str) -> None:
    line = f"{COMMANDS[name]} --report report.{suffix}"
    english = said(line, "en", f"report.{suffix}")
    assert runs(english)
    for lang in OTHERS:
        assert runs(english) & runs(said(line, lang, f"report.{suffix}")) == set(), lang


@pytest.mark.parametrize("name", TERMINAL)
def test_no_english_is_left_on_the_terminal(said, name: str) -> None:
    english = said(TERMINAL[name], "en")
    for lang in OTHERS:
        text = said(TERMINAL[name], lang)
        assert runs(english) & runs(text) == set(), lang
        assert _numbers(english) == _numbers(text), lang


def _numbers(text: str) -> list[str]:
    """All numbers but those that a language may write as words, without signs between their thousands."""
    joined = re.sub(r"(?<=\d)[,\u202f](?=\d{3})", "", text)
    return sorted(number for number in NUMBER.findall(joined) if number not in IN_WORDS)


def test_notes_kept_with_counts_are_said_in_the_language_of_the_reader(said, bertillon, made: Path) -> None:
    bertillon("count", made / "stream-1.csv", "-o", "stream.counts")
    texts = {lang: said("verify stream.counts -m EER --no-intervals", lang) for lang in LANGUAGES}
    assert runs(texts["en"])
    assert [lang for lang in OTHERS if runs(texts["en"]) & runs(texts[lang])] == []


@pytest.mark.parametrize("name", FIGURES)
def test_no_english_is_left_in_figures(said, name: str) -> None:
    """Three words in a row: labels are short. One language, since every other has the same keys."""
    drawn = {}
    for lang in ("en", "it"):
        said(f"{COMMANDS[name]} --bands none --figures {lang} --figure-format svg", lang)
        drawn[lang] = " | ".join(map(words_of, sorted(Path(lang).glob("*.svg"))))
    assert runs(drawn["en"], 3)
    assert runs(drawn["en"], 3) & runs(drawn["it"], 3) == set()


@pytest.mark.parametrize("name", ["people", "identify", "classify", "compare", "pad"])
def test_json_and_csv_are_the_same_in_every_language(said, name: str) -> None:
    def written(lang: str) -> dict[str, bytes]:
        said(f"{COMMANDS[name]} --json out.json --csv csv --report out.csv", lang)
        paths = [Path("out.json"), Path("out.csv"), *sorted(Path("csv").glob("*.csv"))]
        return {str(path): path.read_bytes() for path in paths}

    english = written("en")
    assert english["out.json"]
    for lang in OTHERS:
        assert written(lang) == english


def test_json_on_the_terminal_is_english_in_every_language(bertillon) -> None:
    line = f"inspect {EXAMPLES}/border.csv --json -"
    english = bertillon(*shlex.split(line)).out
    assert "read as comma-separated columns" in english
    assert [bertillon(*shlex.split(line), "--lang", lang).out for lang in OTHERS] == [english] * len(OTHERS)


def test_an_unknown_language_is_refused_before_any_work(bertillon) -> None:
    ran = bertillon("inspect", EXAMPLES / "border.csv", "--lang", "de")
    assert (ran.code, ran.out) == (2, "")
    assert "language 'de' is not known; expected one of en, it, es, zh" in " ".join(ran.err.split())
