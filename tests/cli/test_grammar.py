"""The grammar of commands: fields of dataclasses become options, and what was parsed becomes dataclasses again."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Annotated, ClassVar, Literal, get_args

import click
import pytest

from bertillon.cli import (
    MOST_FIELDS,
    Command,
    DeclarationError,
    Invocation,
    app,
    argument,
    declared,
    given_options,
    only,
    option,
    options,
    reworded,
    with_default,
    without,
)
from bertillon.views import Vocabulary

CLI = Path(app.__file__).parent
HEAVY = ("numpy", "polars", "scipy", "matplotlib", "numba")


@dataclass(frozen=True, slots=True)
class Kinds:
    """A field of each kind."""

    PANEL: ClassVar[str] = "Kinds"
    flag: bool = option(default=False, help="A flag.")
    on: bool = option("--on/--off", default=True, help="A flag that can be negated.")
    unknown: bool | None = option("--yes/--no", help="A flag that may be unknown.")
    text: str | None = option(help="A text.")
    whole: int = option("-w", "--whole", default=3, help="A whole number.")
    rate: float | None = option(metavar="RATE", help="A number.")
    target: Path | None = option(help="A file.", writes=True)
    words: tuple[str, ...] = option(default=(), help="Texts.")
    numbers: tuple[float, ...] = option(default=(1.5,), help="Numbers.")
    choice: Literal["fast", "exact"] = option(default="fast", help="A choice.")
    choices: tuple[Literal["red", "blue"], ...] = option(default=(), help="Choices.")


@dataclass(frozen=True, slots=True)
class Needed:
    """A field that must be given."""

    output: Path = option("-o", "--output", required=True, help="The output.")


def everything(files: Annotated[tuple[Path, ...], argument("FILE", "Files.")], kinds: Kinds) -> None:
    """Do it.

    Example: everything x
    """


def parsed(function, *arguments: str) -> dict[str, object]:
    """What the function would be called with."""
    calls: list[Invocation] = []
    command = Command("test", declared(function), calls.append)
    command.main(list(arguments), standalone_mode=False)
    [call] = calls
    return dict(call.arguments)


def test_defaults_are_those_of_the_dataclass() -> None:
    assert parsed(everything, "a.csv") == {"files": (Path("a.csv"),), "kinds": Kinds()}


@pytest.mark.parametrize(
    ("given", "field", "value"),
    [
        (["--flag"], "flag", True),
        (["--off"], "on", False),
        (["--on"], "on", True),
        (["--yes"], "unknown", True),
        (["--no"], "unknown", False),
        (["--text", "x"], "text", "x"),
        (["-w", "7"], "whole", 7),
        (["--whole=7"], "whole", 7),
        (["--rate", "1e-3"], "rate", 0.001),
        (["--target", "b.json"], "target", Path("b.json")),
        (["--words", "a", "--words", "b"], "words", ("a", "b")),
        (["--numbers", "2", "--numbers", "-3.5"], "numbers", (2.0, -3.5)),
        (["--choice", "exact"], "choice", "exact"),
        (["--choices", "blue", "--choices", "red"], "choices", ("blue", "red")),
    ],
)
def test_a_field_of_each_kind(given: list[str], field: str, value: object) -> None:
    kinds = parsed(everything, "a", "b", *given)["kinds"]
    assert getattr(kinds, field) == value
    assert type(getattr(kinds, field)) is type(value)
    others = [one.name for one in fields(Kinds) if one.name != field]
    assert all(getattr(kinds, name) == getattr(Kinds(), name) for name in others)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (["--whole", "x"], "--whole"),
        (["--rate", "x"], "--rate"),
        (["--choice", "slow"], "'fast', 'exact'"),
        (["--choices", "green"], "'red', 'blue'"),
        (["--flag=yes"], "--flag"),
        (["--txt", "x"], "--text"),
    ],
)
def test_what_cannot_be_read_is_refused_with_the_option(given: list[str], message: str) -> None:
    with pytest.raises(click.UsageError) as refused:
        parsed(everything, "a", *given)
    assert message in refused.value.format_message()


def test_arguments_and_options_that_must_be_given() -> None:
    def write(file: Annotated[Path, argument("FILE", "A file.")], needed: Needed) -> None: ...

    write.__annotations__ = {"file": Annotated[Path, argument("FILE", "A file.")], "needed": Needed}
    assert parsed(write, "a", "-o", "b") == {"file": Path("a"), "needed": Needed(output=Path("b"))}
    for given, message in ((["a"], "--output"), (["-o", "b"], "FILE")):
        with pytest.raises(click.UsageError) as refused:
            parsed(write, *given)
        assert f": {message} is missing" in refused.value.format_message()


@pytest.mark.parametrize("name", app.SUMMARIES)
def test_a_command_without_what_it_needs_names_all_of_it_and_a_line_to_type(bertillon, name: str) -> None:
    words = name.split()
    command = app.application()
    for word in words:
        command = command.get_command(click.Context(command), word)
    needed = [parameter for parameter in command.declaration.parameters if parameter.required]
    if not needed:
        pytest.skip("needs nothing")
    ran = bertillon(*words)
    assert (ran.code, ran.out) == (2, "")
    first, *lines = ran.err.splitlines()
    assert first.startswith(f"error: bertillon {name}: ")
    assert all(parameter.label in first for parameter in needed)
    assert [line.strip().split(":")[0].split(" ")[0] for line in lines[: len(needed)]] == [
        parameter.usage.split(" ")[0] for parameter in needed
    ]
    example, more = lines[len(needed) :]
    assert example.startswith(f"Example: bertillon {name} ")
    assert more == f"All options: bertillon {name} --help"


def test_a_command_uses_a_part_of_a_group_with_its_own_help_and_defaults() -> None:
    def part(kinds: object) -> None: ...

    part.__annotations__["kinds"] = Annotated[
        Kinds, only("text", "whole", "flag"), without("flag"), reworded(text="Other."), with_default(whole=5)
    ]
    declaration = declared(part)
    assert [(one.name, one.spec.help, one.default) for one in declaration.parameters] == [
        ("text", "Other.", None),
        ("whole", "A whole number.", 5),
    ]
    assert parsed(part) == {"kinds": Kinds(whole=5)}
    with pytest.raises(click.NoSuchOption):
        parsed(part, "--flag")


def test_two_groups_with_the_same_field_or_flag_are_an_error() -> None:
    @dataclass(frozen=True)
    class Same:
        text: str | None = option("--other", help="The same name.")

    @dataclass(frozen=True)
    class SameFlag:
        prose: str | None = option("--text", help="The same flag.")

    for group, name in ((Same, "text"), (SameFlag, "--text")):

        def both(kinds: object, others: object) -> None: ...

        both.__annotations__.update(kinds=Kinds, others=group)
        with pytest.raises(DeclarationError, match=f"{name} is declared twice"):
            declared(both)


def test_what_is_declared_wrongly_is_an_error() -> None:
    def command(group: object) -> None: ...

    many = {f"field_{number}": option(help="x") for number in range(MOST_FIELDS + 1)}
    large = dataclass(frozen=True)(type("Large", (), {"__annotations__": dict.fromkeys(many, str | None), **many}))
    plain = dataclass(frozen=True)(type("Plain", (), {"__annotations__": {"x": int}, "x": 1}))
    strange = dataclass(frozen=True)(type("Strange", (), {"__annotations__": {"x": bytes}, "x": option(help="x")}))
    for group, message in (
        (large, "14 options; expected at most 13"),
        (plain, "is no option"),
        (strange, "no option is of type"),
        (Annotated[Kinds, without("nothing")], "has no option nothing"),
    ):
        command.__annotations__["group"] = group
        with pytest.raises(DeclarationError, match=message):
            declared(command)


def test_options_that_were_given_are_named_as_they_are_spelled() -> None:
    assert given_options(Kinds()) == []
    assert given_options(Kinds(whole=4, on=False, text="x"), Kinds(flag=True)) == [
        "--on",
        "--text",
        "--whole",
        "--flag",
    ]


def test_a_renamed_option_is_named(bertillon, table) -> None:
    for command in ("verify", "identify", "classify", "compare", "count"):
        ran = bertillon(command, table, "--label", "a")
        assert (ran.code, ran.out) == (2, "")
        assert "No such option: --label; the name of a system is given with --name" in ran.err


def test_a_misspelt_option_is_corrected(bertillon, table) -> None:
    ran = bertillon("verify", table, "--resample", "5")
    assert ran.code == 2
    assert "--resamples" in ran.err


def test_every_command_is_declared_and_listed_with_its_first_line() -> None:
    for name, entry in app.COMMANDS.items():
        declaration = entry.load(name.split()[-1])
        assert declaration.help.partition("\n")[0] == entry.summary, name
        assert len(declaration.function.__annotations__) - 1 <= MOST_FIELDS
        for one in declaration.parameters:
            assert one.spec.help.endswith((".", "...")), (name, one.name)
            assert one.is_flag or re.fullmatch(r"\S+", one.metavar), (name, one.name)
            assert not one.metavar.startswith("<"), (name, one.name)
            assert one.many == ("repeatable" in one.spec.help) or one.is_argument, (name, one.name)


def test_an_option_has_one_meaning_on_all_commands() -> None:
    """The same spelling takes the same kind of value everywhere, but for a few that ask another question."""
    known: dict[str, set[tuple[type, bool]]] = {}
    for name, entry in app.COMMANDS.items():
        for one in entry.load(name.split()[-1]).parameters:
            for flag in one.flags:
                known.setdefault(flag, set()).add((one.kind, one.many))
    apart = {flag for flag, kinds in known.items() if len(kinds) > 1}
    assert apart == {"--fpir", "--gallery-size", "--dev", "--threshold"}


def test_choices_are_those_of_the_rest_of_the_program() -> None:
    hint = options.OutputOptions.__annotations__["vocabulary"]
    assert list(get_args(eval(hint, vars(options)))) == [str(one) for one in Vocabulary]


def test_help_is_grouped_in_panels(bertillon) -> None:
    ran = bertillon("verify", "--help")
    titles = re.findall(r"╭─ ([A-Z][\w ]+) ─", ran.out)
    assert titles[:3] == ["Arguments", "Options", "Input"]
    assert titles[-1] == "Output"
    assert {"Templates", "Analysis", "Intervals", "Large inputs"} <= set(titles)
    assert "--seed      NUMBER  Random seed. [default: 0]" in ran.out
    assert "--bands none|pointwise|simultaneous" in " ".join(ran.out.split())
    assert not re.search(r"<(list|str|path|int|float|bool)", ran.out)


@pytest.mark.parametrize("width", [40, 60, 80, 100, 200])
def test_help_cuts_nothing_at_any_width(bertillon, monkeypatch, width: int) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    for name, entry in app.COMMANDS.items():
        shown = bertillon(*name.split(), "--help").out
        assert max(map(len, shown.splitlines())) <= min(max(width, 60), 120), name
        joined = re.sub(r"[│\s]", "", shown)
        for one in entry.load(name.split()[-1]).parameters:
            assert all(flag in joined for flag in one.flags), (name, one.name)
            assert one.spec.help.split()[0] in joined, (name, one.name)


def test_no_command_or_an_empty_group_shows_help_and_is_no_success(bertillon) -> None:
    for words in ((), ("calibrate",)):
        ran = bertillon(*words)
        assert (ran.code, "Commands" in ran.out) == (2, True)
    assert bertillon("nonsense").code == 2
    assert "No such command 'nonsense'" in bertillon("nonsense").err


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], ["verify", "--help"], ["calibrate", "fit", "-h"]])
def test_help_loads_nothing_that_computes(arguments: list[str]) -> None:
    code = (
        "import sys, json\n"
        "from bertillon.cli.app import main\n"
        f"sys.argv = {['bertillon', *arguments]!r}\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        "print(json.dumps(sorted(sys.modules)))\n"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    modules = set(json.loads(ran.stdout.splitlines()[-1]))
    assert not modules & set(HEAVY)
    ours = {name for name in modules if name.startswith("bertillon.")}
    assert loaded_rooms(ours) <= {"_version", "cli", "core"}
    called = {"fit": "calibration"}.get(arguments[-2], arguments[-2]) if len(arguments) > 1 else None
    commands = {f"bertillon.cli.{entry.module}" for entry in app.COMMANDS.values()} & ours
    assert commands == ({f"bertillon.cli.{called}"} if called else set())


def loaded_rooms(modules: set[str]) -> set[str]:
    """The rooms that are loaded."""
    return {name.split(".")[1] for name in modules if name.startswith("bertillon.")}


def test_importing_every_command_loads_nothing_that_computes() -> None:
    names = sorted({entry.module for entry in app.COMMANDS.values()})
    code = (
        "import sys, json\nfrom importlib import import_module\n"
        f"for name in {names!r}:\n    import_module('bertillon.cli.' + name)\n"
        "print(json.dumps(sorted(sys.modules)))\n"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    modules = set(json.loads(ran.stdout))
    assert not modules & set(HEAVY)
    assert loaded_rooms(modules) <= {"_version", "cli", "core"}


def test_the_file_that_declares_options_imports_the_standard_library_alone() -> None:
    tree = ast.parse((CLI / "declare.py").read_text())
    top = [node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)]
    modules = {node.module if isinstance(node, ast.ImportFrom) else node.names[0].name for node in top}
    assert {module.partition(".")[0] for module in modules} <= set(sys.stdlib_module_names)


def test_no_function_takes_many_parameters_or_harvests_its_own() -> None:
    for path in CLI.glob("*.py"):
        tree = ast.parse(path.read_text())
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef):
                given = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
                assert len(given) <= MOST_FIELDS, (path.name, node.name)
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                assert node.func.id not in ("locals", "signature"), (path.name, node.lineno)


def test_convert_reads_as_verify_does(bertillon, tmp_path: Path) -> None:
    (tmp_path / "odd.csv").write_text("who,score\nfriend,0.9\nfoe,-1\nfoe,0.2\n")
    said = ("--column", "label=who", "--values", "mated=friend,nonmated=foe", "--failed", "-1")
    ran = bertillon("convert", "odd.csv", "plain.csv", *said, "--explain")
    assert ran.code == 0, ran.err
    assert "mated" in ran.out
    shown = bertillon("verify", "plain.csv", "-m", "FMR@t=0.5", "--no-intervals", "--json", "-")
    assert json.loads(shown.out)["counts"] == {"mated": 1, "nonmated": 1, "failed": 1}


def test_attacks_trust_labels_or_subjects(bertillon, tmp_path: Path) -> None:
    rows = ["probe_subject,reference_subject,label,score"]
    rows += [
        f"a,{'a' if number % 2 else 'b'},{'mated' if number % 2 else 'nonmated'},0.{number}" for number in range(1, 9)
    ]
    rows += ["a,b,mated,0.95"]  # two fingers of one person, say
    (tmp_path / "scores.csv").write_text("\n".join(rows) + "\n")
    (tmp_path / "attacks.csv").write_text("species,score\ngummy,0.5\ngummy,0.7\n")
    given = ("attacks", "scores.csv", "--attacks", "attacks.csv", "-t", "0.5")
    assert "--trust labels" in bertillon(*given).err
    mated = {}
    for trusted in ("labels", "subjects"):
        ran = bertillon(*given, "--trust", trusted, "--json", "-")
        assert ran.code == 0, ran.err
        mated[trusted] = ran.out
    assert mated["labels"] != mated["subjects"]


@pytest.mark.parametrize(("typed", "number"), [("1%", "0.01"), ("0.7 %", "0.007"), ("0.1%", "1e-3")])
def test_a_share_may_be_typed_in_percent(bertillon, typed: str, number: str) -> None:
    """0.7 % is exactly 0.007, though 0.7 / 100 is less."""
    percent, plain = (bertillon("plan", "--fmr", text, "--level", "90%") for text in (typed, number))
    assert percent.code == 0
    assert percent.out == plain.out
    assert json.loads(bertillon("plan", "--fmr", typed, "--json", "-").out)["aim"]["rate"] == float(number)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("verify a.txt b.txt -x 0,01", "'0,01' is not a number; write a decimal point: 0.01"),
        ("verify a.txt b.txt -x abc", "'abc' is not a number"),
        ("check a.csv --scheme fido -t 50%", "'50%' is not a number"),
    ],
)
def test_what_is_no_number_is_named_with_what_to_write(bertillon, line: str, said: str) -> None:
    ran = bertillon(*line.split())
    assert ran.code == 2
    assert ran.err.splitlines()[-1].endswith(f": {said}")


@pytest.mark.parametrize("line", ["--help", "verify --help", "gallery --help"])
def test_help_has_no_trailing_blanks_and_names_no_empty_default(bertillon, monkeypatch, line: str) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    ran = bertillon(*line.split())
    assert ran.code == 0
    assert [each for each in ran.out.splitlines() if each != each.rstrip()] == []
    assert "[default: ]" not in ran.out
    assert ("[default: 0]" in ran.out) is (line == "verify --help")  # of --seed
