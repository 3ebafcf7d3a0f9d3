"""A broken function takes the place of the sound one wherever that is called from, and only for a while."""

import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest
from tests.conformance.patching import Patch, patched

from genstamp_dfs.hdfs.messages.client_protocol import Complete
from genstamp_dfs.hdfs.namenode import append, complete, create, lease_recovery, truncate
from genstamp_dfs.hdfs.namenode.calls import CALLS


def broken(*_: Any) -> None:
    """Does nothing."""


def test_a_function_is_replaced_in_all_modules_that_have_it() -> None:
    modules: list[Any] = [lease_recovery, create, append, truncate]
    sound = lease_recovery.recover_lease_internal
    with patched([Patch(append, "recover_lease_internal", broken)]):
        assert {module.recover_lease_internal for module in modules} == {broken}
    assert {module.recover_lease_internal for module in modules} == {sound}


def test_a_call_is_answered_by_the_broken_function_under_its_own_name() -> None:
    sound = CALLS[Complete]
    with patched([Patch(complete, "complete", lambda *arguments: arguments)]):
        answered: Callable[..., Any] = CALLS[Complete].function
        assert (answered(1, 2, 3), CALLS[Complete].name) == ((1, 2, 3), "complete")
    assert CALLS[Complete] is sound


def test_what_is_not_there_cannot_be_broken() -> None:
    with pytest.raises(AttributeError, match="finish"), patched([Patch(complete, "finish", broken)]):
        pass


LOOK = """
import gc, sys
from types import FunctionType
from genstamp_dfs.hdfs.namenode.namenode import CALLS

package = "genstamp_dfs.hdfs.namenode."
modules = [vars(module) for path, module in sys.modules.items() if path.startswith("genstamp_dfs.")]
found = [value for names in modules for value in names.values() if isinstance(value, FunctionType)]
functions = [function for function in found if function.__module__.startswith(package)]
known = {id(each) for each in (*modules, *CALLS.values(), found, functions)}
print(len(functions) > 200, [each for each in gc.get_referrers(*functions) if id(each) not in known])
"""


def test_nothing_but_modules_and_calls_refers_to_functions_of_the_namenode() -> None:
    """Any other table of them would have to be known to `patched`. Looked at where no test has put anything."""
    assert subprocess.check_output([sys.executable, "-c", LOOK], text=True) == "True []\n"
