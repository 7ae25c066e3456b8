"""Messages and their catalogues: every key in every language, no value lost, no English left."""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Iterator
from pathlib import Path
from string import Formatter

import pytest

import bertillon
from bertillon.core import (
    LANGUAGES,
    InputError,
    Message,
    abridged,
    both_named,
    catalogue,
    chained,
    joined,
    record,
    register_catalogue,
    say,
    speaking,
    spoken,
    text_of,
    topics,
)
from bertillon.measures import Result

SOURCE = Path(bertillon.__file__).parent
OTHERS = LANGUAGES[1:]
EXTREMES = (0, 1, 2, 1_234_567_890)
FRACTIONS = (0.0, 1e-12, 0.123456789, 1.0, 1234.5, math.inf, math.nan)
WORD = re.compile(r"[a-z]{2,}")
NAMES = ("page.live.", "page.measure.")  # of measures, where they have no other
PROPER = re.compile(r"\b[A-Z]?[a-z]{2,}\b")  # a word, and no abbreviation
SHARED = {"no", "log", "probe", "test", "error", "normal", "percentiles", "animal", "eer", "dir", "sd", "in"}
READING = ("removeprefix", "removesuffix", "split", "partition", "rstrip", "lstrip", "strip", "replace", "startswith")
SAME_WORDS = 4  # as many English words in a row are no coincidence


def sentences(lang: str, topic: str) -> dict[str, list[str]]:
    """Every template of a topic by its key; two of one that depends on a number."""
    words = catalogue(lang)
    raw = {f"{topic}.{rest}": words.sentence(f"{topic}.{rest}") for rest in words.after(f"{topic}.")}
    return {key: [said] if isinstance(said, str) else list(said.values()) for key, said in raw.items()}


def every(lang: str) -> dict[str, list[str]]:
    return {key: said for topic in topics() for key, said in sentences(lang, topic).items()}


def places(template: str) -> list[tuple[str, str]]:
    """Names and formats of the values in braces."""
    return sorted({(name, spec or "") for _, name, spec, _ in Formatter().parse(template) if name})


def calls() -> Iterator[tuple[str, str, set[str] | None]]:
    """Every `say("key", ...)` in the source: where, its key, the names of its values where they are listed."""
    for path in sorted(SOURCE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name) or node.func.id != "say":
                continue
            if not node.args or not isinstance(node.args[0], ast.Constant):
                continue
            names = [keyword.arg for keyword in node.keywords]
            where = f"{path.relative_to(SOURCE)}:{node.lineno}"
            given = None if None in names else {name for name in names if name} - {"about"}
            yield where, str(node.args[0].value), given


@pytest.mark.parametrize("lang", OTHERS)
def test_every_key_stands_in_every_language(lang):
    assert every("en").keys() == every(lang).keys()


@pytest.mark.parametrize("lang", OTHERS)
def test_every_language_says_the_same_values_in_the_same_format(lang):
    english, other = every("en"), every(lang)
    wrong = {
        key: (places(english[key][-1]), places(said))
        for key in english
        for said in other[key][-1:]
        if places(english[key][-1]) != places(said)
    }
    assert wrong == {}


def test_every_message_of_the_source_is_in_the_catalogue_with_its_values():
    english, wrong = every("en"), []
    for where, key, given in calls():
        if key not in english:
            wrong.append(f"{where}: no message {key!r}")
        elif given is not None and not {name for said in english[key] for name, _ in places(said)} <= given:
            wrong.append(f"{where}: {key} lacks {places(english[key][-1])}, given {sorted(given)}")
    assert wrong == []


def test_every_message_in_the_catalogue_is_said_somewhere():
    paths = [path for kind in ("*.py", "*.j2") for path in sorted(SOURCE.rglob(kind))]
    source = "\n".join(path.read_text(encoding="utf-8") for path in paths)
    built = {match.rstrip(".") for match in re.findall(r"""f["']([a-z_]+(?:\.[a-z_]+)*\.)\{""", source)}
    built |= {match.rstrip(".") for match in re.findall(r'words\("([a-z_.]+\.)" ~', source)}
    unsaid = [
        key
        for key in (key.removesuffix(".short") for key in every("en"))
        if f'"{key}"' not in source and not any(key.startswith(f"{prefix}.") for prefix in built)
    ]
    assert [key for key in unsaid if not key.startswith(("list.", "page.live."))] == []


def test_what_is_said_in_short_fits_a_line_of_the_terminal():
    shorts = [key for key in every("en") if key.endswith(".short") and key != "number.short"]
    assert shorts
    for key in shorts:
        assert key.removesuffix(".short") in every("en"), key
        for lang in LANGUAGES:
            sentence = catalogue(lang).sentence(key)
            forms = [sentence] if isinstance(sentence, str) else sentence.values()
            assert all(len(re.sub(r"\{[^}]*\}", "12345", form)) <= 78 for form in forms), (lang, key)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_message_keeps_its_values_whatever_they_are(lang):
    words = catalogue(lang)
    for key, said in every(lang).items():
        named = places(said[-1])
        for number in EXTREMES:
            values = {name: number if not spec or spec == "d" else FRACTIONS[2] for name, spec in named}
            text = words(key, **values)
            for name, spec in named:
                shown = words.text(say("list.one", value=number)) if not spec else None
                assert shown is None or shown in text or number == 1, (key, name, text)
            assert "{" not in text, key
        for fraction in FRACTIONS:
            text = words(
                key,
                **{name: fraction if spec not in ("", "d") else "<&>" for name, spec in named if spec != "d"}
                | {n: 3 for n, s in named if s == "d"},
            )
            for name, spec in named:
                assert spec or "<&>" in text or name == "n", (key, name, text)


@pytest.mark.parametrize("lang", OTHERS)
def test_no_english_is_left(lang):
    english, other = every("en"), every(lang)
    left = {}
    for key, said in other.items():
        runs = _runs(english[key])
        shared = runs & _runs(said)
        if shared:
            left[key] = shared
    assert left == {}


def _runs(said: list[str]) -> set[tuple[str, ...]]:
    """Every run of words of the templates, without what stands in braces."""
    found = set()
    for template in said:
        words = WORD.findall(_outside_braces(template).lower())
        found |= {tuple(words[at : at + SAME_WORDS]) for at in range(len(words) - SAME_WORDS + 1)}
    return found


@pytest.mark.parametrize("lang", OTHERS)
def test_no_phrase_is_the_english_one(lang):
    """Short ones too: only names, signs and words that the languages share may be the same."""
    english, other = every("en"), every(lang)
    same = {key: said[-1] for key, said in other.items() if said == english[key] and not key.startswith(NAMES)}
    left = {key: set(map(str.lower, PROPER.findall(_outside_braces(said)))) - SHARED for key, said in same.items()}
    assert {key: same[key] for key, words in left.items() if words} == {}


@pytest.mark.parametrize("lang", OTHERS)
def test_every_form_of_a_sentence_says_the_same_values(lang):
    """That for a number of one may leave out the number."""
    english, other = every("en"), every(lang)
    named = {key: [{name for name, _ in places(said[0])} for said in (english[key], other[key])] for key in english}
    assert {key: other[key] for key, (wanted, found) in named.items() if wanted - found - {"n"}} == {}


def test_the_language_that_is_spoken_ends_with_its_block_by_hand():
    soglia = say("page.threshold")
    with speaking("it"):
        with speaking("zh"):
            assert spoken(soglia) == "阈值"
        assert (spoken(soglia), spoken("words of others"), str(soglia)) == ("soglia", "words of others", "threshold")
        with pytest.raises(InputError, match="language 'de' is not known"), speaking("de"):
            pass
        assert spoken(soglia) == "soglia"
    assert spoken(soglia) == "threshold"


def test_no_code_reads_a_sentence_again():
    """Words are made last: nothing is cut off, split or looked for in what `spoken`, a catalogue or `str` has made."""
    found = []
    for path in sorted(SOURCE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in READING:
                made = node.func.value
                if isinstance(made, ast.Call) and ast.unparse(made.func) in ("spoken", "catalogue.text", "words.text"):
                    found.append(f"{path.relative_to(SOURCE)}:{node.lineno}")
                if isinstance(made, ast.Call) and ast.unparse(made) in ("str(note)", "str(message)", "str(warning)"):
                    found.append(f"{path.relative_to(SOURCE)}:{node.lineno}")
    assert found == []


def _outside_braces(template: str) -> str:
    return re.sub(r"\{[^}]*\}", " ", template)


def test_a_message_is_equal_by_key_and_values_and_can_be_counted():
    first, second = say("list.and", first=["a"], second="b"), say("list.and", first=["a"], second="b")
    assert first == second
    assert len({first, second}) == 1
    assert first.values == {"first": ("a",), "second": "b"}
    assert first.on("EER").about == ("EER",)


def test_numbers_by_hand():
    assert str(Message("list.one", (("value", 1234567),))) == "1,234,567"
    assert catalogue("it").text(say("list.one", value=1234567)) == "1\u202f234\u202f567"


def test_lists_by_hand():
    assert str(joined(["a", "b", "c"])) == "a, b and c"
    assert joined(["a"]) == "a"
    assert joined([]) == ""
    assert catalogue("zh").text(joined(["a", "b", "c"])) == "a、b和c"


def test_what_is_missing_is_refused():
    with pytest.raises(LookupError, match=r"message 'list\.nothing' is not in the 'en' catalogue"):
        str(say("list.nothing"))
    with pytest.raises(InputError, match="language 'de' is not known"):
        catalogue("de")


def test_words_of_a_measure_of_another_package_are_shown_as_they_are():
    result = Result.undefined("no sharp samples")
    assert [catalogue(lang).text(result.reason) for lang in LANGUAGES] == ["no sharp samples"] * len(LANGUAGES)
    assert record(result)["reason"] == "no sharp samples"


def test_messages_within_values_are_text_in_a_record():
    result = Result.undefined(say("list.and", first=["a"], second="b"))
    assert record(result) == {"value": pytest.approx(math.nan, nan_ok=True)} | {
        "threshold": None,
        "errors": None,
        "trials": None,
        "reason": "a and b",
    }
    assert (text_of(result.reason), text_of(None)) == ("a and b", None)


def test_long_lists_are_abridged_and_phrases_chained_by_hand():
    assert str(abridged(["a", "b", "c", "d"])) == "a, b, c and 1 more"
    assert str(abridged(["a", "b"], 2)) == "a, b"
    few = [say("warning.parts_empty", n=2, parts=9, names=abridged(names)) for names in ("a", "bcdefg")]
    assert str(both_named(few[0], few[0])) == "2 of 9 parts hold no comparisons: a, a."
    assert str(both_named(*few)) == "2 of 9 parts hold no comparisons: a, b, c and 4 more."
    assert (chained([]), chained(["a"]), str(chained(["a", "b"]))) == ("", "a", "a; b")
    many = [f"phrase {number}" for number in range(2000)]
    assert str(chained(many)) == "; ".join(many)


@pytest.mark.parametrize(("share", "shown"), [(0.9999, "99.99"), (0.99, "99.0"), (1.0, "100.0"), (1e-5, "0.001")])
def test_a_share_never_looks_certain_by_rounding_by_hand(share: float, shown: str) -> None:
    assert str(say("advice.skewed.mated.short", share=share)).startswith(f"{shown} % of the comparisons")


def test_another_package_brings_words_of_its_own(tmp_path: Path) -> None:
    for lang, words in (("en", "{n} ages estimated"), ("it", "{n} età stimate")):
        (tmp_path / lang).mkdir()
        (tmp_path / lang / "elsewhere.toml").write_text(f'estimated = "{words}"\n', encoding="utf-8")
    register_catalogue("elsewhere", tmp_path)
    message = say("elsewhere.estimated", n=1200)
    assert str(message) == "1,200 ages estimated"
    assert catalogue("it").text(message) == "1\u202f200 età stimate"
    assert catalogue("zh").text(message) == "1,200 ages estimated"  # not spoken there: in English


def test_the_topics_of_ours_cannot_be_taken(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="one of bertillon's own"):
        register_catalogue("page", tmp_path)
