"""The pages to read: each call as one text, on one screen, with all that a release does otherwise."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from genstamp import lock
from genstamp.systems import every_system, system_named
from genstamp.tables import read_page, systems_page
from genstamp.tables.reading.call_text import text
from genstamp.tables.reading.differences import Differences, by_call
from genstamp.tables.reading.effects import Effects
from genstamp.tables.reading.names import watched_model
from genstamp.tables.reading.wording import Wording
from genstamp_model.language import (
    Configuration,
    Hole,
    Index,
    Part,
    System,
    action,
    case,
    each,
    either,
    flag,
    lifecycle,
    members,
    number,
    observe,
    per,
    pick,
    repairs,
    require,
    those,
    when,
)
from genstamp_spec.lifecycles.block import BlockLifecycle

RECOVERY = system_named("hdfs.recovery")
_LINES, _COLUMNS = 60, 120


class Node(Index, symmetric=True):
    """A node."""


class Shop(Part, lane="namenode"):
    """One call with three ways."""

    open = flag()
    up = members(Node)
    sold = per(Node, number(0, 9))
    noted = number(limit="notes")

    def has_sold_much(s, node: Node):  # type: ignore[no-untyped-def]
        """The node has sold more than most."""
        return (s.sold[node] > 3) & (s.sold[node] < 8) | s.up.is_empty()

    @action
    def buy(s, node: Node) -> None:
        """Somebody buys.

        Source  Shop#buy, Hadoop 3.4.1; facts E.1.
        """
        require(s.up.has(node), "the node is up", "IOException")
        if case("shut", ~s.open, "the shop is shut", "the shop is open", refuses="ShutException"):
            s.note()
            return
        require(s.sold[node] < 9, "something is left", "SoldOutException", repairs="oversold")
        if either("unheard", "the answer is lost"):
            s.sell(node)
            return
        price = pick("price", 1, 2)
        require(price > s.noted, "the price is enough")  # row 7
        s.sell(node)
        s.up = when(s.has_sold_much(node), those(Node, lambda other: other == node), s.up)
        observe(price=price)

    def note(s) -> None:
        """Something is noted."""
        s.noted = s.noted + 1

    def sell(s, node: Node) -> None:
        """One is sold."""
        s.sold[node] = s.sold[node] + 1
        s.open = s.sold[node] < 9
        if repairs("unnoted"):
            s.note()


class Closing(Shop):
    """What else is sold when something is."""

    def sell(s, node: Node) -> None:
        """Everything is sold."""
        s.sold.update(lambda other: when(other == node, s.sold[other], 9))

    @action
    def close_down(s, node: Node) -> None:
        """It is over."""
        require(s.open & s.up.has(node), "the shop is open")
        s.open = False
        s.sold = each(Node, lambda other: s.sold[other])


SHOP = System(
    "shop",
    parts=[Shop],
    semantics={"repaired": (), "worse": (Hole("closing", "everything is sold at once", parts=(Closing,)),)},
    default_semantics="repaired",
    configurations=[Configuration("one", sizes={"Node": 1}, limits={"notes": 3})],
)
BUY = """\
1  the node is up                                                       -> IOException
2  if the shop is shut:
       noted := noted + 1
       => buy_shut -> ShutException
3  something is left                                                    -> SoldOutException        [not with oversold]
4  perhaps the answer is lost:
       open := sold[node] + 1 < 9
       sold[node] := sold[node] + 1
       noted := noted + 1
       => buy_unheard
5  the price is enough                                                                                       E.1 row 7
   open := sold[node] + 1 < 9
   up := {node} if 3 < sold[node] + 1 and sold[node] + 1 < 8 or up == {}
   sold[node] := sold[node] + 1
   noted := noted + 1
   shows price = price
   => buy"""


class Shelf(Part, lane="namenode"):
    """A block that is taken away, and its name may be used again."""

    block = per(Node, lifecycle(BlockLifecycle))

    @action
    def remove(s, node: Node) -> None:
        """It goes."""
        require(~s.block[node].at(BlockLifecycle.absent), "there is a block")
        s.block[node].fire(BlockLifecycle.remove)

    @action
    def forget(s, node: Node) -> None:
        """It goes without a trace."""
        require(~s.block[node].at(BlockLifecycle.absent), "there is a block")
        s.block[node].fire(BlockLifecycle.remove)
        s.block.update(lambda other: when(other == node, BlockLifecycle.absent, s.block[other]))


SHELF = System("shelf", parts=[Shelf], configurations=[Configuration("one", sizes={"Node": 1})])


def _written(system: System = SHOP, call: str = "buy", *, is_brief: bool = False) -> str:
    _, traced = watched_model(system)
    effects = Effects(traced, Wording(traced.names), is_brief=is_brief)
    return "\n".join(text(by_call(traced.actions)[call], effects, {}, lambda said: []))


def test_a_call_is_one_text_with_a_branch_for_each_case() -> None:
    assert _written() == BUY


def test_a_state_that_is_set_after_an_event_is_said() -> None:
    removed, forgotten = (_written(SHELF, call) for call in ("remove", "forget"))
    assert "block[node]: remove (" in removed
    assert ":= absent" not in removed
    assert "block[node]: remove (" in forgotten
    assert "block[node] := absent" in forgotten


def test_a_page_says_what_the_modules_of_its_parts_simplify(repository: Path) -> None:
    [page] = read_page.pages([SHELF], {}, repository).values()
    assert "\nSimplified:\n" not in page
    [page] = read_page.pages([system_named("hdfs.durable_prefix")], {}, repository).values()
    assert "\n- [durable_prefix.py](../../spec/genstamp_spec/hdfs/systems/durable_prefix.py): Coarser " in page


def test_a_long_call_names_the_functions_that_assign() -> None:
    brief = _written(is_brief=True)
    assert "       note(): Something is noted   => buy_shut -> ShutException\n" in brief
    assert "       sell(node): One is sold   => buy_unheard\n" in brief
    assert "\n   sell(node)\n   up := " in brief


@pytest.mark.slow
def test_functions_assign_variables_of_their_own_system() -> None:
    """Not those of the system that it refines, whose functions may bear the same names."""
    model, traced = watched_model(system_named("hdfs.write_path_restarts"))
    assigned = {variable for written in traced.written.values() for one in written for variable in one.variables}
    assert assigned <= {variable.name for variable in model.variables}


def test_a_variation_is_found_where_it_changes_something() -> None:
    _, traced = watched_model(SHOP)
    differences = Differences(SHOP, traced.actions)
    assert [one.name for one in differences.of("buy")] == ["closing"]
    assert [one.name for one in differences.of("close_down")] == ["closing"]
    assert list(by_call(SHOP.actions(None, "worse"))) == ["buy", "close_down"]


def _calls(page: str) -> Iterator[tuple[str, str]]:
    """The headings of the calls, with what stands below, as it is shown: links by their words."""
    for part in re.split(r"(?m)^(?=#{2,3} )", page):
        if part.startswith("### "):
            yield part.splitlines()[0], re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", part.rstrip())


@pytest.mark.parametrize("name", [system.name for system in every_system()])
def test_no_call_takes_more_than_a_screen(name: str, repository: Path) -> None:
    page = (repository / "docs" / read_page.FOLDER / f"{name}.md").read_text(encoding="utf-8")
    calls = list(_calls(page))
    assert calls
    too_long = []
    for heading, said in calls:
        if sum(max(1, -(-len(line) // _COLUMNS)) for line in said.splitlines()) > _LINES:
            too_long.append(heading)
    assert too_long == []


@pytest.mark.slow
def test_a_page_has_every_action_of_every_semantics(repository: Path) -> None:
    """As it is kept: `genstamp verify` compares it with what would be written today."""
    system = system_named("hdfs.lease")
    page = (repository / "docs" / read_page.FOLDER / f"{system.name}.md").read_text(encoding="utf-8")
    told = set(re.findall(r"=> (\w+)", page)) | set(re.findall(r"one way more, `(\w+)`", page))
    missing = {
        semantics: {way.name for way in system.actions(None, semantics)} - told for semantics in system.semantics
    }
    assert not any(missing.values()), missing


@pytest.mark.slow
def test_a_page_says_what_a_release_does_otherwise_and_where_it_was_searched(repository: Path) -> None:
    [page] = read_page.pages([RECOVERY], lock.read(repository / "spec" / "spec.lock"), repository).values()
    [row] = [line for line in page.splitlines() if line.startswith("| hflush-sees-the-recovery ")]
    assert row.endswith("| yes | yes | yes | `only_empty_blocks_are_dropped` breaks |")
    [told] = [line for line in page.splitlines() if line.startswith("- hadoop-3.4: ")]
    assert "searched in outages, restarts, takeover, and not in " in told
    assert "`hflushed_bytes_survive`" in told.partition("; breaks ")[2]
    [unknown] = read_page.pages([RECOVERY], {}, repository).values()
    assert "not in the lock" in unknown


def test_the_page_of_systems_links_to_each(repository: Path) -> None:
    page = systems_page.page(every_system(), lock.read(repository / "spec" / "spec.lock"))
    linked = set(re.findall(r"\(read/([\w.]+)\.md\)", page))
    assert linked == {system.name for system in every_system()}
    assert "not in the lock" in systems_page.page([RECOVERY], {})
