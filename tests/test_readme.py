"""README.md is true: its commands are run, their output compared, its figures looked up, its links followed.

A comment before a fenced block says how it is held, as in `tests.pages` or:

    <!-- make -->            targets of the Makefile, which CI runs, or more than they do
    <!-- table -->           what the table of docs/verify.md comes to, which `genstamp verify` compares with its own

and a comment before a number says where spec.lock has it (`genstamp.verify.readme`), or of which walk of Apache HDFS it
is (`genstamp.walk.kept`).
"""

import re

import pytest
from tests.pages import BLOCK, REPOSITORY, Block, blocks, broken_links, is_as_shown, marked

from genstamp import lock
from genstamp.systems import every_system
from genstamp.verify.plan import searched_on_demand, whole
from genstamp.verify.readme import FIGURE, PAGE, figure, summed, totals
from genstamp.verify.row import Row, Verdict
from genstamp.verify.summing import LOCK
from genstamp.walk import kept
from genstamp_spec.hdfs.systems.recovery import RECOVERY

README = REPOSITORY / "README.md"
TEXT = README.read_text(encoding="utf-8")

WALKED = re.compile(r"<!-- walk (?P<release>\S+) (?P<system>\S+) -->(?P<figures>[\d,]+\s+of\s+[\d,]+)")

# Names of issues and versions are no figures.
_NAMES = re.compile(r"HDFS-\d+|\d+\.\d+(?:\.\d+)?")


def test_every_block_says_how_it_is_held() -> None:
    assert [block.line for block in blocks(TEXT) if block.mark.split(",")[0] not in ("run", "make", "table")] == []


@pytest.mark.slow
@pytest.mark.parametrize("block", marked(TEXT, "run"), ids=lambda block: f"line {block.line}")
def test_commands_give_what_is_shown(block: Block) -> None:
    block.is_true()


def test_a_wrong_output_is_noticed() -> None:
    assert is_as_shown("a\nb 1\nc\n", "a\n...\nc\n")
    assert not is_as_shown("a\nb 1\nc\n", "a\n...\nd\n")
    assert not is_as_shown("a\n", "")


def test_make_targets_are_those_that_ci_runs() -> None:
    targets = [command.split()[1] for block in marked(TEXT, "make") for command, _ in block.commands()]
    assert targets
    script = (README.parent / ".ci" / "run").read_text(encoding="utf-8")
    missing = [target for target in targets if f"\nmake {target}\n" not in script]
    assert missing == ["verify"]
    assert "verify-all" in targets


def table() -> str:
    """What the page shows between its fences."""
    page = (README.parent / PAGE).read_text(encoding="utf-8")
    return page.partition("<!-- table -->\n```text\n")[2].partition("\n```\n")[0]


def table_rows() -> dict[str, str]:
    """What was looked at by claim, of each row that the page shows; `genstamp verify` compares all of it."""
    rows = [re.split(r"\s{2,}", line) for line in table().splitlines()[1:]]
    return {row[0]: row[2] for row in rows}


def test_the_readme_shows_what_the_table_comes_to() -> None:
    (block,) = marked(TEXT, "table")
    assert block.body == totals(table()) + "\n"


def test_the_page_has_the_rows_that_are_planned() -> None:
    plan = whole(README.parent)
    planned = [claim for job in plan.jobs for claim in job.claims] + [row.claim for row in plan.rows([])]
    rows = summed([Row(claim=claim, verdict=Verdict.HOLDS) for claim in planned])
    assert list(table_rows()) == [row.claim for row in rows]


def test_the_page_shows_the_states_that_are_locked() -> None:
    locked, rows = lock.read(README.parent / LOCK), []
    for system in every_system():
        left_out = searched_on_demand(system, locked[system.name])
        for name, semantics in locked[system.name].semantics.items():
            searched = [one for one in system.configurations if one.name in semantics.searches]
            for configuration in searched:
                claim = f"check {system.name}:{configuration.name}"
                if name != system.default_semantics:
                    claim = f"known {system.name}:{configuration.name} {name}"
                count = semantics.searches[configuration.name].distinct
                if (name, configuration.name) not in left_out:
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


@pytest.mark.parametrize("found", list(WALKED.finditer(TEXT)), ids=lambda found: found["system"])
def test_so_far_was_apache_hdfs_led(found: re.Match[str]) -> None:
    walked = kept.read(README.parent, found["system"], found["release"])
    assert walked is not None
    assert " ".join(found["figures"].split()) == f"{walked.certain:,} of {walked.transitions:,}"


def test_every_large_figure_is_held() -> None:
    """Small numbers are counts that a reader makes out of the text; what a machine counted must be looked up."""
    prose = _NAMES.sub("", FIGURE.sub("", WALKED.sub("", BLOCK.sub("", TEXT))))
    prose = re.sub(r"\]\([^)]*\)", "", prose)
    assert re.findall(r"\d{3,}|\d+[ ,]\d{3}", prose) == []


def test_links_lead_somewhere() -> None:
    assert broken_links(README) == []
