"""Swim lanes and sequence diagrams show who does what, who asks, and which messages travel."""

from dataclasses import replace
from xml.etree import ElementTree

import pytest

from genstamp_model.errors import SpecError
from genstamp_model.evaluate import Evaluator
from genstamp_model.explore import explore
from genstamp_model.language import (
    Configuration,
    Index,
    Part,
    Record,
    System,
    action,
    bag,
    number,
    observe,
    per,
    reference,
    require,
)
from genstamp_model.path import Path
from genstamp_model.traces import mermaid, replay, steps, swim_lanes
from genstamp_model.traces.lanes import Message, chart
from genstamp_spec.hdfs.systems.journal import JOURNAL
from genstamp_spec.hdfs.systems.recovery import RECOVERY

SVG = "{http://www.w3.org/2000/svg}"


class Client(Index):
    """Who asks."""


class Store(Index):
    """Who answers."""


class Letter(Record):
    """A message."""

    sender = reference(Client)
    to = reference(Store)


class Post(Part):
    """What is on its way."""

    letters = bag(Letter, limit="letters")
    count = per(Store, number(limit="count"))


class Clients(Post, lane=Client):
    """The clients' steps."""

    @action
    def write(s, client: Client, store: Store) -> None:
        """A letter is sent."""
        s.letters.send(Letter(sender=client, to=store))

    @action
    def think(s, client: Client) -> None:
        """Nothing happens."""
        observe(who=client)


class Stores(Post, lane=Store):
    """The stores' steps."""

    @action
    def take_in(s) -> None:
        """A letter arrives."""
        letter = s.letters.receive()
        s.letters.take(letter)
        s.count[letter.to] = s.count[letter.to] + 1

    @action(refuses="ClosedException")
    def ask(s, client: Client, store: Store) -> None:
        """A call that is refused although it is counted."""
        require(s.count[store] < 9, "there is room & no <hurry>")
        s.count[store] = s.count[store] + 1
        observe(caller=client)


class Office(Post, lane="office"):
    """One node's steps."""

    @action
    def audit(s, store: Store) -> None:
        """All is counted anew."""
        s.count[store] = 0


class Nobody(Post):
    """Steps of no part with a lane."""

    @action
    def rain(s, store: Store) -> None:
        """It rains on a store."""
        observe(where=store)

    @action
    def storm(s) -> None:
        """It storms."""


LETTERS = System(
    "letters",
    parts=[Clients, Stores, Office, Nobody],
    configurations=[Configuration("two", sizes={"Client": 2, "Store": 2}, limits={"letters": 3, "count": 3})],
)


@pytest.fixture(scope="module")
def path() -> Path:
    letter = {"sender": "client1", "to": "store2"}
    return replay(
        LETTERS.instance(),
        steps(
            [
                ("write", {"client": "client1", "store": "store2"}),
                ("write", {"client": "client1", "store": "store2"}),
                ("ask", {"client": "client2", "store": "store1"}),
                ("take_in", {"letters": letter}),
                ("audit", {"store": "store2"}),
                ("rain", {"store": "store1"}),
                ("storm", {}),
                ("think", {"client": "client2"}),
            ]
        ),
    ).path


def test_each_step_stands_in_the_lane_of_its_part(path: Path) -> None:
    rows = chart(path).rows
    assert [(row.lane, row.caller, row.label) for row in rows] == [
        ("client1", None, "write(store2)"),
        ("client1", None, "write(store2)"),
        ("store1", "client2", "ask()"),
        ("store2", None, "take_in((sender client1, to store2))"),
        ("office", None, "audit(store2)"),
        ("store1", None, "rain()"),
        ("system", None, "storm()"),
        ("client2", None, "think()"),
    ]
    assert [row.refuses for row in rows if row.refuses] == ["ClosedException"]


class Desk(Post, lane="desk", callers=(Client,)):
    """One node, which clients call and which does steps of its own."""

    @action
    def ask_desk(s, client: Client, store: Store) -> None:
        """A client calls."""
        observe(who=client)
        s.count[store] = s.count[store] + 1

    @action
    def sweep(s, store: Store, client: Client) -> None:
        """Nobody calls: a client is only what the step is about."""
        observe(who=client)
        s.count[store] = s.count[store] + 1

    @action(hidden=True)
    def expire(s, client: Client) -> None:
        """Nobody calls, and nobody sees it."""
        observe(who=client)

    @action(caller="store")
    def report(s, client: Client, store: Store) -> None:
        """A store calls."""
        observe(who=client)
        s.count[store] = s.count[store] + 1

    @action(caller=None)
    def answer(s, client: Client) -> None:
        """Nobody calls."""
        observe(who=client)


class Later(Desk, lane="desk"):
    """Says nothing of callers, and so they are those of the part that it builds on."""

    @action
    def report(s, client: Client, store: Store) -> None:
        """A store calls."""
        observe(who=client)
        s.count[store] = s.count[store] + 2


@pytest.mark.parametrize("part", [Desk, Later])
def test_the_caller_is_who_calls_and_not_what_a_step_is_about(part: type[Part]) -> None:
    sizes, limits = {"Client": 1, "Store": 1}, {"letters": 1, "count": 9}
    system = System("desk", parts=[part], configurations=[Configuration("one", sizes=sizes, limits=limits)])
    both = {"client": "client1", "store": "store1"}
    calls = [("ask_desk", both), ("sweep", both), ("expire", {"client": "client1"}), ("report", both)]
    path = replay(system.instance(), steps([*calls, ("answer", {"client": "client1"})])).path
    rows = chart(path).rows
    assert {row.lane for row in rows} == {"desk"}
    assert [row.caller for row in rows] == ["client1", None, None, "store1", None]
    assert chart(path).lanes == ("client1", "desk", "store1")


def test_a_caller_that_is_no_parameter_is_a_specification_error() -> None:
    class Wrong(Post):
        @action(caller="clerk")
        def ask(s, client: Client) -> None: ...

    sizes, limits = {"Client": 1, "Store": 1}, {"letters": 1, "count": 9}
    with pytest.raises(SpecError, match="caller 'clerk' of ask is not one of its parameters; it has client"):
        System("wrong", parts=[Wrong], configurations=[Configuration("one", sizes=sizes, limits=limits)]).model()


@pytest.mark.slow
def test_the_monitor_is_not_called_by_the_datanode_that_it_chooses() -> None:
    """HDFS-1149: a client creates the file, and nobody calls the lease monitor."""
    bug = "HDFS-1149"
    violation = explore(JOURNAL.instance(JOURNAL.bug(bug).configuration, bugs=[bug])).violation
    assert violation is not None
    rows = {row.label.partition("(")[0]: row for row in chart(violation.path).rows}
    assert (rows["create"].lane, rows["create"].caller) == ("namenode", "client1")
    assert (rows["release_expired_lease_starts"].lane, rows["release_expired_lease_starts"].caller) == (
        "namenode",
        None,
    )
    assert "client1" in chart(violation.path).lanes


def test_nothing_is_cut_and_all_stands_within_the_picture(path: Path) -> None:
    long = f"a title that is too long for one line, {'and longer ' * 20}"
    value = f"letters: [] -> [{', '.join(f'(sender client{number}, to store1)' for number in range(30))}]"
    first, *rest = chart(path).rows
    drawn = replace(chart(path, long, loop=2), rows=(replace(first, changes=(value,)), *rest))
    root = ElementTree.fromstring(swim_lanes(drawn))
    texts = root.findall(f"{SVG}text")
    assert {drawn.title, value, *(message.label for message in drawn.messages if message.received)} <= {
        "".join(text.itertext()) for text in texts
    }
    assert drawn.end == "and again from step 3, for ever"
    width = float(root.get("width", ""))
    for text in texts:
        for part in text.findall(f"{SVG}tspan") or [text]:
            # A browser's characters are at most so wide: 12 px are 7.23 px in DejaVu Sans Mono.
            length = 7.23 * len(part.text or "")
            left = float(part.get("x", "")) - (length / 2 if text.get("text-anchor") == "middle" else 0)
            assert left >= 0, part.text
            assert left + length <= width, part.text


def test_messages_go_from_the_step_that_sends_to_the_one_that_receives(path: Path) -> None:
    label = "Letter(sender client1, to store2)"
    assert chart(path).messages == (Message(1, 4, label), Message(2, None, label))


def test_members_of_one_set_stand_together_and_callers_first(path: Path) -> None:
    assert chart(path).lanes == ("client1", "client2", "store1", "store2", "office", "system")


def test_swim_lanes_hold_every_lane_step_change_and_message(path: Path) -> None:
    root = ElementTree.fromstring(swim_lanes(path))
    texts = ["".join(element.itertext()) for element in root.iter(f"{SVG}text")]
    assert set(chart(path).lanes) <= set(texts)
    for row in chart(path).rows:
        assert row.label in texts
        assert set(map(str, row.changes)) <= set(texts)
    heads = [element.get("marker-end") for element in root.iter(f"{SVG}line")]
    assert heads.count("url(#message-head)") == 1
    assert heads.count("url(#answer-head)") == 1
    assert sum(text.endswith("on its way") for text in texts) == 1


def test_steps_follow_one_another_downwards(path: Path) -> None:
    boxes = ElementTree.fromstring(swim_lanes(path)).findall(f"{SVG}rect")
    tops = [float(box.get("y", "")) for box in boxes]
    bottoms = [top + float(box.get("height", "")) for top, box in zip(tops, boxes, strict=True)]
    assert len(boxes) == len(path)
    assert all(bottom < top for bottom, top in zip(bottoms, tops[1:], strict=False))


def test_the_step_that_breaks_a_property_is_marked(path: Path) -> None:
    boxes = ElementTree.fromstring(swim_lanes(chart(path, broken=3))).findall(f"{SVG}rect")
    assert [number for number, box in enumerate(boxes, 1) if "broken" in box.get("class", "")] == [3]


def test_a_sequence_diagram_is_readable_text(path: Path) -> None:
    assert mermaid(path).splitlines() == [
        "sequenceDiagram",
        "    title letters:two (default)",
        "    participant L0 as client1",
        "    participant L1 as client2",
        "    participant L2 as store1",
        "    participant L3 as store2",
        "    participant L4 as office",
        "    participant L5 as system",
        "    Note over L0: 1. write(store2)<br/>letters: [] -#62; [(sender client1, to store2)]",
        "    Note over L0: 2. write(store2)<br/>letters: [(sender client1, to store2)] -#62; "
        "[(sender client1, to store2), (sender client1, to store2)]",
        "    L1->>L2: 3. ask()",
        "    Note over L2: count[store1]: 0 -#62; 1",
        "    L2--xL1: ClosedException",
        "    L0-)L3: Letter(sender client1, to store2)",
        "    Note over L3: 4. take_in((sender client1, to store2))"
        "<br/>letters: [(sender client1, to store2), (sender client1, to store2)] -#62; "
        "[(sender client1, to store2)]<br/>count[store2]: 0 -#62; 1",
        "    Note over L4: 5. audit(store2)<br/>count[store2]: 1 -#62; 0",
        "    Note over L2: 6. rain()",
        "    Note over L5: 7. storm()",
        "    Note over L1: 8. think()",
    ]


def test_a_path_without_steps_is_an_empty_picture() -> None:
    instance = LETTERS.instance()
    empty = Path(instance, Evaluator(instance).initial())
    assert ElementTree.fromstring(swim_lanes(empty)).findall(f"{SVG}rect") == []
    assert mermaid(empty) == "sequenceDiagram\n    title letters:two (default)\n"


@pytest.mark.slow
def test_every_step_of_hdfs_recovery_happens_at_a_node() -> None:
    for bug in ((), ("HDFS-10240",), ("HDFS-1218",), ("HDFS-11817",)):
        model = RECOVERY.model(bugs=bug)
        assert [action.name for action in model.actions if action.lane is None] == []
