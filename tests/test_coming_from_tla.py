"""The page for those who know TLA+: its module and the file of `genstamp init` have the same states."""

import re
from importlib.resources import files
from pathlib import Path

import pytest

from genstamp.agree import tlc
from genstamp.templates.protocol import LOCK
from genstamp_model.explore import explore

CONFIG = """\
SPECIFICATION Spec
CONSTANTS
  Clients = {c1, c2}
  Nobody = Nobody
  Tokens = 3
INVARIANT WrittenIsGranted
PROPERTY WrittenNeverGoesBack
"""


@pytest.fixture(scope="module")
def page(repository: Path) -> str:
    return (repository / "docs" / "coming-from-tla.md").read_text(encoding="utf-8")


def blocks(page: str, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", page, re.DOTALL)


@pytest.mark.slow
def test_both_texts_have_the_states_that_the_page_says(page: str, tmp_path: Path) -> None:
    found = re.search(r"<!-- states -->(\d+) states", page)
    assert found is not None
    ours = explore(LOCK.instance("two"))
    (tmp_path / "Lock.tla").write_text(blocks(page, "tla")[0], encoding="utf-8")
    theirs = tlc.ran("Lock", CONFIG, tmp_path, limit_s=120)
    assert theirs is not None and theirs.is_done, theirs
    assert (int(found[1]), theirs.depth) == (ours.states, ours.depth)
    assert theirs.distinct == ours.states


def test_our_text_is_that_of_the_template(page: str) -> None:
    """The page leaves out docstrings, and what is said of proofs."""
    template = files("genstamp.templates").joinpath("protocol.py").read_text(encoding="utf-8")
    shown = [line.split("  #")[0].rstrip() for line in blocks(page, "python")[0].splitlines()]
    known = [re.sub(r"^(    @\w+)\(inductive=.*\)$", r"\1", line) for line in template.splitlines()]
    assert [line for line in shown if line not in known] == []
