"""The page of sources has every declaration once, with its reason."""

import re

from genstamp.logs.sources import Logged
from genstamp.logs.sources.declared import SOURCES
from genstamp.tables.logs_sources_page import page

_ROW = re.compile(r"\| (file|block|replica|lease|node) \| (.+?) \| (.+?) \| (.+) \|")


def test_page_has_every_declaration_of_every_source() -> None:
    sections = dict(re.findall(r"^## (.+)\n((?:.*\n)*?)(?=## |\Z)", page() + "\n", re.MULTILINE))
    assert list(sections) == [source for source, kinds in SOURCES.items() if kinds]
    for source, section in sections.items():
        shown = {
            (kind, step.strip("`")): (how, why)
            for kind, steps, how, why in _ROW.findall(section)
            for step in steps.split(", ")
        }
        assert shown == {
            (kind, step): (told.how.value, told.why)
            for kind, steps in SOURCES[source].items()
            for step, told in steps.items()
        }


def test_every_meaning_is_told() -> None:
    assert all(f"| {how.value} |" in page() for how in Logged)
