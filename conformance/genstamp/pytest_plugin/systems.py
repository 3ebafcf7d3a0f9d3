"""Systems as tests: `FILE.py::SYSTEM::CONFIGURATION::PROPERTY`, and `FILE.py::SYSTEM::coverage`.

A configuration is searched once, when its first test runs, and all its tests read that search. It ends at the first
violation; the tests of properties that were not judged by then are skipped, and say why. A test that is undetermined
fails.

Not here: the search and its words, which are those of `genstamp check`.
"""

from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import pytest

from genstamp import forgotten
from genstamp.cli.check import coverage
from genstamp.cli.check.report import Searched, searched
from genstamp.cli.check.searches import Options
from genstamp.errors import GenstampError
from genstamp.report import Case, of_model
from genstamp.report.case import Rule
from genstamp.report.places import place
from genstamp.systems import systems_in
from genstamp_model.errors import ModelError
from genstamp_model.language import Configuration, Instance, System

_JUDGED: Final = (*of_model.SEARCHED, "leads_to")
_FAILED: Final = ("failure", "error", "undetermined")


class NotKeptError(Exception):
    """A property that does not hold, or was not decided; its text is what `genstamp check` reports."""


class SystemsFile(pytest.File):
    """A file with systems."""

    def collect(self) -> Iterator[pytest.Collector]:
        """A collector for each system of the file.

        Raises:
            CollectError: the file cannot be loaded, misuses the language, or has no system.
        """
        try:
            for name, system in systems_in(self.path).items():
                yield SystemTests.from_parent(self, name=name, system=system)
        except (GenstampError, ModelError) as problem:
            raise self.CollectError(str(problem)) from problem


class SystemTests(pytest.Collector):
    """A system: its default configurations, and what they cover together."""

    def __init__(self, *, system: System, **options: Any) -> None:
        super().__init__(**options)
        self.system = system
        if self.config.pluginmanager.hasplugin("xdist"):
            # Another process would search again.
            self.add_marker(pytest.mark.xdist_group(self.nodeid))

    def collect(self) -> Iterator[pytest.Item | pytest.Collector]:
        """A collector for each configuration, then the test of coverage.

        Raises:
            CollectError: the system cannot be traced, or all its configurations are on demand.
        """
        try:
            of_all = [
                ConfigurationTests.from_parent(self, name=one.name, configuration=one) for one in self.system.every_time
            ]
        except (GenstampError, ModelError) as problem:
            raise self.CollectError(str(problem)) from problem
        yield from of_all
        rule = Rule(f"{self.system.name}/coverage", place=place(self.system.source))
        yield CoverageTest.from_parent(self, name="coverage", rule=rule, of_all=of_all)


class ConfigurationTests(pytest.Collector):
    """A configuration: one test for each property, and those of what every search looks for."""

    def __init__(self, *, configuration: Configuration, **options: Any) -> None:
        super().__init__(**options)
        self.configuration = configuration

    @property
    def of_system(self) -> SystemTests:
        """The system's collector."""
        assert isinstance(self.parent, SystemTests), self.parent
        return self.parent

    def collect(self) -> Iterator[pytest.Item]:
        """A test for each invariant, transition property and leads-to; one for deadlock, one for steps that fail.

        Raises:
            CollectError: the system misuses the language.
        """
        try:
            model = self.of_system.system.model()
        except (GenstampError, ModelError) as problem:
            raise self.CollectError(str(problem)) from problem
        names = [claim.name for claim in model.properties if claim.kind in _JUDGED]
        if model.says_where_it_may_stop:
            names.append("deadlock")
        for name in [*names, "error"]:
            yield PropertyTest.from_parent(self, name=name, rule=of_model.rule_named(model, name))

    @cached_property
    def searched(self) -> Searched:
        """The search of this configuration; made when it is first asked for.

        Raises:
            KeyboardInterrupt: it was interrupted.
        """
        found = searched(Instance(self.of_system.system.model(), self.configuration), Options())
        if found.is_interrupted:
            raise KeyboardInterrupt
        return found


class _Test(pytest.Item):
    """A test of a claim, at the line where that is declared."""

    def __init__(self, *, rule: Rule, **options: Any) -> None:
        super().__init__(**options)
        self.rule = rule

    def reportinfo(self) -> tuple[Path, int, str]:
        """The file, the line from 0, and the name of the test."""
        line = 0 if self.rule.place is None else self.rule.place.line - 1
        return self.path, line, self.nodeid.partition("::")[2]

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """The report of a property that does not hold, without Python's stack."""
        if isinstance(excinfo.value, NotKeptError | GenstampError | ModelError):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)


class PropertyTest(_Test):
    """One property in one configuration."""

    def runtest(self) -> None:
        """Pass if the property holds in all states within the limits.

        Raises:
            NotKeptError: it is violated or undetermined.
        """
        assert isinstance(self.parent, ConfigurationTests), self.parent
        found = self.parent.searched
        ended, *others = found.cases
        own = [case for case in others if case.claim.name == self.rule.name]
        broken = found.result.violation is not None
        if not own and broken and ended.claim.name != self.rule.name:
            raise _skipped(f"the search ended before this was decided: {ended.message}")
        for case in own or [ended]:
            if case.outcome in _FAILED:
                raise NotKeptError(_told(case))


class CoverageTest(_Test):
    """What the default configurations of a system cover together."""

    def __init__(self, *, of_all: list[ConfigurationTests], **options: Any) -> None:
        super().__init__(**options)
        self._of_all = of_all

    def runtest(self) -> None:
        """Pass if each action is taken, each refusal given, each witness reached, and each property could have failed.

        Raises:
            NotKeptError: something is not.
        """
        found = [one.searched for one in self._of_all]
        assert isinstance(self.parent, SystemTests), self.parent
        covered = coverage.over(found, strict=True, forgotten=forgotten.of_system(self.parent.system))
        if not covered.is_whole:
            raise _skipped("not all configurations were searched to the end")
        missing = [_told(case) for case in coverage.cases(covered) if case.outcome in _FAILED]
        if missing:
            raise NotKeptError("\n".join(missing))


def _skipped(reason: str) -> BaseException:
    """A skip at the line of the claim, not at a line of this file."""
    return pytest.skip.Exception(reason, _use_item_location=True)


def _told(case: Case) -> str:
    where = "" if case.where is None else f"{case.where.file}:{case.where.line}: "
    return f"{where}{case.outcome}: {case.message}" + (f"\n{case.text}" if case.text else "")
