"""`genstamp check SYSTEM` asks of a system what `genstamp verify` asks; only what is asked is compared here."""

import inspect
from pathlib import Path
from typing import Any

import pytest

from genstamp import leads_to
from genstamp.cli.check.searches import Options, search
from genstamp.cli.choosing import to_search
from genstamp.systems import place_of, system_named
from genstamp.verify import searching
from genstamp.verify.job import Context
from genstamp_model.explore import explore
from genstamp_model.language import Configuration, Instance


class _AskedError(Exception):
    """Ends a verb where it begins to search."""


def asked(monkeypatch: pytest.MonkeyPatch, where: str, verb: Any) -> dict[str, Any]:
    """How a verb calls `explore`, defaults included; but for what it shows meanwhile."""
    found: dict[str, Any] = {}

    def heard(*arguments: Any, **options: Any) -> None:
        bound = inspect.signature(explore).bind(*arguments, **options)
        bound.apply_defaults()
        found.update(bound.arguments)
        raise _AskedError

    monkeypatch.setattr(where, heard)
    with pytest.raises(_AskedError):
        verb()
    del found["progress"]
    instance = found.pop("instance")
    return {**found, "digest": instance.model.digest, "configuration": instance.configuration}


@pytest.mark.slow
@pytest.mark.parametrize("name", ["hdfs.lease", "hdfs.truncate", "gfs.snapshot"])
def test_check_and_verify_search_alike(name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    system = system_named(name)
    _, configurations = to_search(name, ())
    expected = [one for one in system.configurations if not one.on_demand]
    assert list(configurations) == expected
    context = Context(repository=tmp_path, directory=tmp_path, data=None, seed=0)

    def verified(one: Configuration) -> list[Any]:
        return list(searching.check(context, "claim", place_of(system.name), one.name))

    # One is enough: which configuration it is changes nothing of how.
    one = expected[0]
    by_check = asked(
        monkeypatch, "genstamp.cli.check.searches.explore", lambda: search(Instance(system.model(), one), Options())
    )
    by_verify = asked(monkeypatch, "genstamp.verify.searching.explore", lambda: verified(one))
    assert by_check == by_verify


def test_check_and_verify_judge_leads_to_alike() -> None:
    """Both by one function, whose options are those of `check` without any."""
    options = inspect.signature(leads_to.judged).parameters
    assert (options["max_states"].default, options["renumber"].default) == (Options().max_states, Options().renumber)
