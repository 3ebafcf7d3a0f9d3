"""README.md is true: its commands are run, their output compared, its figures looked up, its links followed.

A comment before a fenced block says how it is held:

    <!-- run -->             each `$` line is run; what follows it is its standard output, `...` for any text
    <!-- run, exit 12 -->    the same, and that is the exit code of its last command
    <!-- make -->            targets of the Makefile, which CI runs anyway
    <!-- table -->           what the table of docs/verify.md comes to, which `genstamp verify` compares with its own

and a comment before a number says where spec.lock has it (`genstamp.verify.readme`).
"""

import doctest
import os
import re
import shlex
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from genstamp import lock
from genstamp.systems import every_system
from genstamp.verify.plan import whole
from genstamp.verify.readme import FIGURE, PAGE, figure, summed, totals
from genstamp.verify.row import Row, Verdict
from genstamp.verify.summing import LOCK
from genstamp_spec.hdfs.systems.recovery import RECOVERY

README = Path(__file__).resolve().parents[1] / "README.md"
TEXT = README.read_text(encoding="utf-8")

_BLOCK = re.compile(r"(?:<!-- (?P<mark>[^>]*?) -->\n+)?^```(?P<language>\w*)[^\n]*\n(?P<body>.*?)^```$", re.S | re.M)
# Names of issues and versions are no figures.
_NAMES = re.compile(r"HDFS-\d+|\d+\.\d+(?:\.\d+)?")


@dataclass(frozen=True)
class Block:
    """A fenced block and the comment before it."""

    mark: str
    body: str
    line: int

    def commands(self) -> list[tuple[str, str]]:
        """Each command with the output that the block shows."""
        parts = re.split(r"^\$ ", self.body, flags=re.M)
        assert not parts[0], f"line {self.line}: a block that is run begins with a command"
        return [(command, output) for command, _, output in (part.partition("\n") for part in parts[1:])]


BLOCKS = [
    Block(found["mark"] or "", found["body"], TEXT[: found.start()].count("\n") + 1) for found in _BLOCK.finditer(TEXT)
]


def marked(mark: str) -> list[Block]:
    return [block for block in BLOCKS if block.mark.split(",")[0] == mark]


def test_every_block_says_how_it_is_held() -> None:
    assert [block.line for block in BLOCKS if block.mark.split(",")[0] not in ("run", "make", "table")] == []


@pytest.mark.slow
@pytest.mark.parametrize("block", marked("run"), ids=lambda block: f"line {block.line}")
def test_commands_give_what_is_shown(block: Block) -> None:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = os.environ | {"PATH": path, "COLUMNS": "120"}
    code = 0
    for command, shown in block.commands():
        done = subprocess.run(
            shlex.split(command), cwd=README.parent, env=environment, capture_output=True, text=True, check=False
        )
        code = done.returncode
        if shown:
            assert is_as_shown(done.stdout, shown), f"{command} gives\n{done.stdout}\n{done.stderr}"
    assert code == int(block.mark.partition("exit ")[2] or 0)


def is_as_shown(output: str, shown: str) -> bool:
    """Whether an output is the one shown, which leaves parts out as `...`."""
    return doctest.OutputChecker().check_output(shown, output, doctest.ELLIPSIS)


def test_a_wrong_output_is_noticed() -> None:
    assert is_as_shown("a\nb 1\nc\n", "a\n...\nc\n")
    assert not is_as_shown("a\nb 1\nc\n", "a\n...\nd\n")
    assert not is_as_shown("a\n", "")


def test_make_targets_are_those_that_ci_runs() -> None:
    targets = [command.split()[1] for block in marked("make") for command, _ in block.commands()]
    assert targets
    script = (README.parent / ".ci" / "run").read_text(encoding="utf-8")
    assert [target for target in targets if f"\nmake {target}\n" not in script] == []


def table() -> str:
    """What the page shows between its fences."""
    page = (README.parent / PAGE).read_text(encoding="utf-8")
    return page.partition("<!-- table -->\n```text\n")[2].partition("\n```\n")[0]


def table_rows() -> dict[str, str]:
    """What was looked at by claim, of each row that the page shows; `genstamp verify` compares all of it."""
    rows = [re.split(r"\s{2,}", line) for line in table().splitlines()[1:]]
    return {row[0]: row[2] for row in rows}


def test_the_readme_shows_what_the_table_comes_to() -> None:
    (block,) = marked("table")
    assert block.body == totals(table()) + "\n"


def test_the_page_has_the_rows_that_are_planned() -> None:
    plan = whole(README.parent)
    planned = [claim for job in plan.jobs for claim in job.claims] + [row.claim for row in plan.rows([])]
    rows = summed([Row(claim=claim, verdict=Verdict.HOLDS) for claim in planned])
    assert list(table_rows()) == [row.claim for row in rows]


def test_the_page_shows_the_states_that_are_locked() -> None:
    locked, rows = lock.read(README.parent / LOCK), []
    for system in every_system():
        for name, semantics in locked[system.name].semantics.items():
            searched = [one for one in system.configurations if one.name in semantics.searches]
            for configuration in searched:
                claim = f"check {system.name}:{configuration.name}"
                if name != system.default_semantics:
                    claim = f"known {system.name}:{configuration.name} {name}"
                count = semantics.searches[configuration.name].distinct
                if not configuration.on_demand:
                    rows.append(Row(claim=claim, verdict=Verdict.HOLDS, count=count, unit="states"))
        for name, variation in locked[system.name].variations.items():
            claim = f"{system.bug(name).kind} {system.name} {name}"
            rows.append(Row(claim=claim, verdict=Verdict.HOLDS, count=variation.distinct, unit="states"))
    kinds = ("check ", "known ", "bugs ", "holes ", "differences ")
    shown = {claim: figures for claim, figures in table_rows().items() if claim.startswith(kinds)}
    assert shown == {row.claim: row.looked_at for row in summed(rows)}


def test_the_largest_configuration_is_the_one_that_is_named() -> None:
    every_time = [one.name for one in RECOVERY.configurations if not one.on_demand]
    searches = lock.read(README.parent / LOCK)["hdfs.recovery"].semantics["repaired"].searches
    largest = max(every_time, key=lambda name: searches[name].distinct)
    assert f"searched every time, *{largest}*" in " ".join(TEXT.split())


@pytest.mark.parametrize("found", list(FIGURE.finditer(TEXT)), ids=lambda found: found["path"])
def test_figure_is_that_of_the_lock(found: re.Match[str]) -> None:
    assert int(found["figure"].replace(",", "")) == figure(lock.read(README.parent / LOCK), found["path"])


def test_every_large_figure_is_held() -> None:
    """Small numbers are counts that a reader makes out of the text; what a machine counted must be looked up."""
    prose = _NAMES.sub("", FIGURE.sub("", _BLOCK.sub("", TEXT)))
    prose = re.sub(r"\]\([^)]*\)", "", prose)
    assert re.findall(r"\d{3,}|\d+[ ,]\d{3}", prose) == []


def test_links_lead_somewhere() -> None:
    targets = [target for target in re.findall(r"\]\(([^)#]+)", TEXT) if "://" not in target]
    assert targets
    assert [target for target in targets if not (README.parent / target).exists()] == []
