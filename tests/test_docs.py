"""The pages in docs/ and beside the code are true: links lead somewhere, commands that are shown are run."""

from pathlib import Path

import pytest
from tests.pages import REPOSITORY, Block, broken_links, marked

PAGES = sorted(REPOSITORY.glob("*.md")) + sorted(
    page
    for folder in ("docs", "spec", "model", "impl", "conformance", "tests")
    for page in (REPOSITORY / folder).rglob("*.md")
)
OPERATORS = (REPOSITORY / "docs" / "operators.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(REPOSITORY)))
def test_links_lead_somewhere(page: Path) -> None:
    assert broken_links(page) == []


def test_a_broken_link_is_noticed(tmp_path: Path) -> None:
    (tmp_path / "page.md").write_text("[this](page.md#part) and [that](nowhere.md)", encoding="utf-8")
    assert broken_links(tmp_path / "page.md") == ["nowhere.md"]


@pytest.mark.slow
@pytest.mark.parametrize("block", marked(OPERATORS, "run"), ids=lambda block: f"line {block.line}")
def test_commands_for_operators_give_what_is_shown(block: Block) -> None:
    block.is_true()
