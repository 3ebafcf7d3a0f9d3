"""The Promela text itself: that it can be read, and that no name of a model can spoil it.

What Spin makes of it is tested in `tests/conformance/agree/test_spin.py`.
"""

import re
from pathlib import Path

import pytest
from tests.model.systems.awkward_names import AWKWARD_NAMES
from tests.model.systems.every_form import EVERY_FORM
from tests.model.systems.fenced_lock import FENCED_LOCK
from tests.model.systems.two_phase import TWO_PHASE

from genstamp_model.errors import ConfigurationError
from genstamp_model.export.promela import promela_model
from genstamp_model.language import (
    Configuration,
    Index,
    Part,
    System,
    action,
    members,
    number,
)

GOLDEN = Path(__file__).with_name("fenced_lock.pml")


def test_a_small_system_reads_well(tmp_path: Path) -> None:
    written = tmp_path / "fenced_lock.pml"
    written.write_text(promela_model(FENCED_LOCK.instance("two")))
    assert written.read_text() == GOLDEN.read_text(), f"if the text is meant to change: cp {written} {GOLDEN}"


def test_every_action_check_and_property_keeps_its_words() -> None:
    instance = EVERY_FORM.instance("tiny")
    text = promela_model(instance)
    for step in instance.model.actions:
        assert f"inline {step.name}(" in text
        assert step.doc.splitlines()[0] in text
        assert f"({step.source})" in text
        for check in step.checks:
            assert check.label in text
            assert check.refuses is None or f"{check.label}, else {check.refuses} */" in text
    judged = [claim for claim in instance.model.properties if claim.kind != "leads_to"]
    for claim in judged:
        name = claim.name.replace(" ", "_")
        assert f"#define {name} " in text
        assert claim.doc.splitlines()[0] in text
    assert len(judged) == len(re.findall(r'"(?:violated|seen): ', text))


def test_there_is_one_alternative_for_each_choice_of_arguments() -> None:
    text = promela_model(TWO_PHASE.instance("three"))
    assert re.findall(r":: rm_prepare\((\w+)\)", text) == ["rm1", "rm2", "rm3"]
    assert text.count(":: tm_commit()") == 1


def test_names_and_comments_cannot_spoil_the_text() -> None:
    text = promela_model(AWKWARD_NAMES.instance("one"))
    for word in ("run", "active", "register", "now", "never", "atomic"):
        assert f"{word}_2" in text
    assert "inline atomic_2(this_od)" in text
    stripped = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
    assert "*/" not in stripped and "quoted" not in stripped


class Crowd(Index):
    """Too many for a set."""


class Crowded(Part):
    """A set of a crowd."""

    there = members(Crowd)

    @action
    def come(s, who: Crowd) -> None:
        """One comes."""
        s.there.add(who)


class Übel(Part):
    """Names that Python takes, and Promela does not."""

    größe = number(0, 1)

    @action
    def wächst(s) -> None:
        """It grows."""
        s.größe = 1 - s.größe


def test_names_are_words_of_promela() -> None:
    system = System("übel", parts=[Übel], configurations=[Configuration("klein", sizes={})])
    code = re.sub(r"/\*.*?\*/", "", promela_model(system.instance()), flags=re.DOTALL)
    assert code.isascii()
    assert "w_chst()" in code


def test_a_set_that_no_number_can_hold_is_refused() -> None:
    sizes = [Configuration(name, sizes={"Crowd": n}) for name, n in (("largest", 31), ("larger", 32))]
    crowded = System("crowded", parts=[Crowded], configurations=sizes)
    assert "int there = 0;" in promela_model(crowded.instance("largest"))
    with pytest.raises(ConfigurationError, match="Crowd has 32"):
        promela_model(crowded.instance("larger"))
