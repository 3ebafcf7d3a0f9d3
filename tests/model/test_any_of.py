"""Several initial states: what `any_of` and conditions give, and what each judge makes of them."""

import enum
from collections.abc import Callable
from typing import Any

import pytest
from tests.model.systems.ewd840 import EWD840
from tests.model.systems.rings import Node, Seat

from genstamp_model.errors import ConfigurationError, SpecError
from genstamp_model.evaluate import Evaluator
from genstamp_model.expand import to_cells
from genstamp_model.explore import Verdict, explore
from genstamp_model.export.promela import promela_model
from genstamp_model.language import (
    Bool,
    Configuration,
    Index,
    Number,
    Part,
    Record,
    RefinementDeclaration,
    System,
    action,
    any_of,
    count,
    each,
    enumeration,
    flag,
    forall,
    initially,
    invariant,
    leads_to,
    limit,
    members,
    none,
    number,
    optional,
    ordered,
    per,
    record,
    reference,
    require,
    witness,
)
from genstamp_model.language.types import Sizes, Value
from genstamp_model.language.variables import Declared
from genstamp_model.liveness import judge
from genstamp_model.parametric import prove_parametric
from genstamp_model.prove import Verdict as Proved
from genstamp_model.prove import Within, bmc, prove, reach
from genstamp_model.prove.clauses import reached
from genstamp_model.simulate import simulate
from genstamp_model.traces import pytest_file, read, replay
from genstamp_model.unused import never_read, never_set


class Mood(enum.Enum):
    """One of three."""

    CALM = enum.auto()
    CROSS = enum.auto()
    AWAY = enum.auto()


class Plate(Record):
    """Whose it is."""

    owner = optional(Seat, initially=any_of(none, Seat.HOST))
    mood = enumeration(Mood)
    full = flag(initially=any_of(True, False))


@pytest.mark.parametrize(
    ("declared", "expected"),
    [
        (lambda: flag(initially=any_of(True, False)), {True, False}),
        (lambda: number(0, 9, initially=any_of(2, 3, 5)), {2, 3, 5}),
        (lambda: ordered(limit="stamps", initially=any_of(0, 7)), {0, 7}),
        (lambda: enumeration(Mood, initially=any_of(Mood.CALM, Mood.AWAY)), {0, 2}),
        (lambda: reference(Seat, initially=any_of(Seat)), {0, 1, 2}),
        (lambda: reference(Seat, initially=any_of(Seat.first(), Seat.HOST)), {0, 2}),
        (lambda: optional(Seat, initially=any_of(Seat, none)), {0, 1, 2, None}),
        (lambda: record(Plate), {(owner, 0, full) for owner in (None, 2) for full in (True, False)}),
        (
            lambda: per(Seat, flag(initially=any_of(True, False))),
            {(a, b, c) for a in (True, False) for b in (True, False) for c in (True, False)},
        ),
        (
            lambda: per(Seat, number(0, 9), initially=lambda seat: any_of(0, seat.rank())),
            {(0, b, c) for b in (0, 1) for c in (0, 2)},
        ),
        (
            lambda: per(Seat, optional(Seat), initially=lambda seat: any_of(seat.next(), none)),
            {(a, b, None) for a in (1, None) for b in (2, None)},
        ),
        (
            lambda: members(Seat, initially=lambda seat: any_of(True, seat == Seat.HOST)),
            {frozenset({2, *rest}) for rest in ((), (0,), (1,), (0, 1))},
        ),
        (
            lambda: per(Seat, per(Seat, flag()), initially=lambda a: any_of(each(Seat, lambda b: a == b))),
            {((True, False, False), (False, True, False), (False, False, True))},
        ),
    ],
)
def test_what_variables_may_begin_with(declared: Callable[[], Declared[object]], expected: set[Value]) -> None:
    made, sizes = declared(), Sizes({"Guest": 2})
    assert made.choice is not None
    values = made.choice.values(sizes)
    assert set(values) == expected
    assert len(values) == len(expected)
    assert made.initial(sizes) == values[0]


@pytest.mark.parametrize(
    ("declare", "message"),
    [
        (lambda: number(0, 3, initially=any_of()), "any_of() takes the values to choose from"),
        (lambda: number(0, 3, initially=any_of(1, 1)), "any_of() takes each value once; 1 stands in it twice"),
        (lambda: number(0, 3, initially=any_of(1, 4)), "the initial value 4 lies outside 0..3"),
        (lambda: flag(initially=any_of(True, 1)), "expected a flag, not 1"),
        (lambda: enumeration(Mood, initially=any_of(Mood.CALM, 3)), "the initial value 3 is not a member of Mood"),
        (lambda: reference(Node, initially=any_of(Seat)), "takes an index set where one of its members can stand, not"),
        (lambda: per(Node, flag(), initially=any_of(True, False)), "each element chooses for itself; write per("),  # type: ignore[arg-type]
        (lambda: members(Node, initially=any_of(True, False)), "or initially=lambda n: any_of(True, False)"),  # type: ignore[arg-type]
        (lambda: ordered(limit="n", initially=any_of(-1)), "the initial value -1 of an ordered number is below 0"),
    ],
)
def test_mistakes_name_their_line(declare: Callable[[], object], message: str) -> None:
    with pytest.raises(SpecError) as error:
        declare()
    assert message in str(error.value)
    assert str(error.value).startswith(f"test_any_of.py:{declare.__code__.co_firstlineno}: ")


@pytest.mark.parametrize(("nodes", "states", "depth"), [(3, 302, 8), (4, 1566, 11)])
@pytest.mark.parametrize("way", [{"threads": 1}, {"threads": 2}, {"fingerprints": True}, {"memory_bytes": 1 << 20}])
def test_termination_detection_has_as_many_states_as_published(
    nodes: int, states: int, depth: int, way: dict[str, Any]
) -> None:
    found = explore(EWD840.instance(f"n{nodes}"), **way)
    assert (found.verdict, found.states, found.depth) == (Verdict.HOLDS, states, depth)
    assert found.generated == sum(found.taken.values()) + nodes * 4**nodes


class Pawn(Index, symmetric=True):
    """A pawn."""


class Tokens(Part):
    """Some pawns have a token, and one of them may lose it."""

    has = per(Pawn, flag(initially=any_of(False, True)))
    lost = number(0, 9, initially=any_of(1, 3))

    @initially
    def one_or_two_have_it(s) -> Bool:
        """Not all combinations."""
        having = count(Pawn, lambda pawn: s.has[pawn])
        return (having >= 1) & (having <= 2)

    @action
    def lose(s, pawn: Pawn) -> None:
        """A pawn loses its token."""
        require(s.has[pawn], "it has one")
        s.has[pawn] = False
        s.lost = s.lost + 1

    @invariant(inductive=True)
    def few(s) -> Bool:
        """Broken from one of the two numbers only, after two steps."""
        return s.lost < 5

    @witness
    def all_lost(s) -> Bool:
        """Nobody has one."""
        return forall(Pawn, lambda pawn: ~s.has[pawn])


TOKENS = System("tokens", parts=[Tokens], configurations=[Configuration("p", sizes={"Pawn": 3})])


@pytest.mark.parametrize("way", [{"threads": 1}, {"threads": 2}, {"fingerprints": True}, {"symmetry": True}])
def test_a_shortest_counterexample_begins_in_the_right_state(way: dict[str, Any]) -> None:
    violation = explore(TOKENS.instance(), **way).violation
    assert violation is not None
    has, lost = violation.path.initial
    assert (sum(has), lost, len(violation.path)) == (2, 3, 2)  # type: ignore[arg-type]
    first, *rest = violation.path.lines()
    assert first == "  0. begins with"
    assert rest[1] == "       lost: 3"
    found = replay(TOKENS.instance(), read(_json(violation.path.to_itf())))
    assert (found.path, found.broken) == (violation.path, (("few", 2),))


def _json(trace: dict[str, Any]) -> bytes:
    import json

    return json.dumps(trace).encode()


def test_a_trace_that_begins_elsewhere_is_rejected() -> None:
    trace = explore(TOKENS.instance()).violation.path.to_itf()  # type: ignore[union-attr]
    trace["states"][0]["lost"] = 2
    rejected = replay(TOKENS.instance(), read(_json(trace))).rejection
    assert rejected is not None
    assert rejected.number == 0
    assert [reason for reason in rejected.reasons if "the trace says 2" in reason]


def test_a_regression_test_knows_where_its_path_begins() -> None:
    path = explore(TOKENS.instance()).violation.path  # type: ignore[union-attr]
    text = pytest_file(path, "tests.model.test_any_of:TOKENS")
    assert '"lost": 3})' in text
    assert 'broken] == ["few"]' in text
    scope: dict[str, Any] = {}
    exec(text, scope)
    scope["test_tokens_p_few"]()


def test_solvers_begin_in_every_initial_state_and_in_no_other() -> None:
    instance = TOKENS.instance()
    found = bmc(instance, 4)
    assert (found.verdict, found.violation.steps) == (Within.VIOLATED, 2)  # type: ignore[union-attr]
    assert reach(instance, "all_lost", 2).settled == 0
    assert len(reach(instance, "all_lost", 2).path or ()) == 1
    assert bmc(instance, 1).verdict is Within.NO_VIOLATION
    proof = prove(instance, k=4).proof("few")
    assert proof.verdict is Proved.VIOLATED


class Late(Tokens):
    """Broken initially, from one of the two numbers."""

    @invariant(inductive=True)
    def few(s) -> Bool:
        return s.lost < 3


def test_a_proof_says_in_which_initial_state_a_property_fails() -> None:
    system = System("late", parts=[Late], configurations=[Configuration("p", sizes={"Pawn": 3})])
    broken = prove(system.instance()).proof("few").broken_by
    assert broken is not None
    lines = broken.lines()
    assert "begins with lost: 3" in lines
    assert lines[-1] == "initially: few: lost < 3 is false, where lost = 3"
    assert len(explore(system.instance()).violation.path) == 0  # type: ignore[union-attr]


def test_walks_begin_anywhere() -> None:
    seen = {simulate(TOKENS.instance(), seed=seed, runs=1, steps=0).steps for seed in range(3)}
    assert seen == {0}
    violated = [simulate(TOKENS.instance(), seed=seed, runs=1, steps=2, stretch=1).violation for seed in range(30)]
    assert 3 <= sum(violation is not None for violation in violated) <= 25


class Wide(Part):
    """As many initial states as there are sets of nodes."""

    up = members(Pawn, initially=lambda pawn: any_of(True, False))
    height = number(limit="height")

    @action
    def sink(s, pawn: Pawn) -> None:
        """One goes down."""
        require(s.up.has(pawn), "it is up")
        s.up.remove(pawn)

    @limit("many")
    def many(s) -> Number:
        """Never met."""
        return s.height


def wide(size: int, **limits: int) -> System:
    configuration = Configuration("c", sizes={"Pawn": size}, limits={"height": 0, "many": 0, **limits})
    return System("wide", parts=[Wide], configurations=[configuration])


@pytest.mark.slow
@pytest.mark.parametrize("way", [{"threads": 1}, {"fingerprints": True}, {"memory_bytes": 1 << 20}])
def test_many_initial_states_are_entered_at_once(way: dict[str, Any]) -> None:
    """More than a search by fingerprints keeps waiting, and more than are handed over in a round."""
    found = explore(wide(15).instance(), **way)
    assert (found.states, found.depth, found.generated) == (2**15, 0, 2**15 + 15 * 2**14)
    few = explore(wide(15).instance(), max_states=10, **way)
    assert few.verdict is Verdict.UNDETERMINED


def test_too_many_initial_states_are_refused() -> None:
    with pytest.raises(ConfigurationError, match=r"test_any_of.py:\d+: 'up' begins in 131,072 ways; at most 65,536"):
        wide(17).instance()


def test_what_no_initial_state_meets_is_refused() -> None:
    class Never(Tokens):
        @initially
        def lost_none(s) -> Bool:
            return s.lost == 0

    system = System("never", parts=[Never], configurations=[Configuration("p", sizes={"Pawn": 2})])
    with pytest.raises(ConfigurationError, match="lost_none holds in none of the 8 combinations of initial values"):
        system.instance()


def test_a_condition_needs_something_to_choose_from() -> None:
    class Fixed(Part):
        n = number(0, 3)

        @initially
        def low(s) -> Bool:
            return s.n == 1

        @action
        def rise(s) -> None:
            s.n = s.n + 1

    with pytest.raises(SpecError, match="low has nothing to choose from: no variable begins with any_of"):
        System("fixed", parts=[Fixed], configurations=[Configuration("c", sizes={})]).model()


def test_an_initial_state_beyond_a_limit_is_refused() -> None:
    class High(Part):
        n = number(limit="n", initially=any_of(1, 5))

        @action
        def rise(s) -> None:
            s.n = s.n + 1

    system = System("high", parts=[High], configurations=[Configuration("c", sizes={}, limits={"n": 3})])
    with pytest.raises(ConfigurationError, match="'n' is 5, above limit n=3, initially"):
        system.instance()


class Below(Part):
    """A counter that begins with one of some numbers."""

    n = number(0, 9, initially=any_of(0, 2))

    @action
    def rise(s) -> None:
        """By one."""
        require(s.n < 9, "there is room")
        s.n = s.n + 1


def above(*values: int) -> System:
    class Above(Part):
        m = number(0, 9, initially=any_of(*values))

        @action
        def grow(s) -> None:
            """By one."""
            require(s.m < 9, "there is room")
            s.m = s.m + 1

    return System("above", parts=[Above], configurations=[Configuration("c", sizes={})])


def below(upper: System) -> System:
    refines = RefinementDeclaration(upper, {"m": lambda s: s.n})
    return System("below", parts=[Below], configurations=[Configuration("c", sizes={})], refines=[refines])


def test_every_initial_state_is_mapped_to_one_of_the_upper_system() -> None:
    assert explore(below(above(0, 1, 2)).instance()).verdict is Verdict.HOLDS
    with pytest.raises(SpecError, match="an initial state of below is not mapped to one of above: m is 2, not 0"):
        explore(below(above(0, 1)).instance())


def test_a_digest_knows_what_may_be_chosen() -> None:
    def digest(declared: Declared[Any]) -> str:
        part = type("Begun", (Part,), {"of": declared, "stay": action(_stay)})
        declared.__set_name__(part, "of")
        return System("begun", parts=[part], configurations=[Configuration("c", sizes={"Node": 2})]).model().digest

    made = [
        reference(Node),
        reference(Node, initially=any_of(Node.first(), Node.last())),
        reference(Node, initially=any_of(Node)),
        reference(Node, initially=any_of(Node.first())),
    ]
    assert len({digest(one) for one in made}) == len(made)
    conditions = {TOKENS.model().digest, System("tokens", parts=[Looser], configurations=[]).model().digest}
    assert len(conditions) == 2


def _stay(s: Part) -> None:
    """Nothing happens."""


class Looser(Tokens):
    """Another condition."""

    @initially
    def one_or_two_have_it(s) -> Bool:
        return count(Pawn, lambda pawn: s.has[pawn]) >= 1


def test_what_differs_from_run_to_run_is_used() -> None:
    class Constant(Part):
        side = flag(initially=any_of(True, False))
        other = flag()
        n = number(0, 1)

        @action
        def rise(s) -> None:
            require(s.side & (s.n == 0), "it may")
            s.n = 1

    model = System("constant", parts=[Constant], configurations=[]).model()
    assert [variable.name for variable in never_set(model)] == ["other"]
    assert [variable.name for variable in never_read(TOKENS.model())] == []


def test_what_is_not_understood_is_refused_with_its_line() -> None:
    with pytest.raises(
        SpecError, match=r"test_any_of.py:\d+: 'has' begins with any of several values, of which a proof"
    ):
        prove_parametric(TOKENS.model())
    with pytest.raises(ConfigurationError, match=r"test_any_of.py:\d+: the Promela export writes every initial state"):
        promela_model(wide(11).instance())


class Stairs(Part):
    """From an odd height nobody comes down to the ground."""

    height = number(0, 9, initially=any_of(2, 4, 3))

    @action
    def down(s) -> None:
        """Two at a time."""
        require(s.height >= 2, "it is high enough")
        s.height = s.height - 2

    @leads_to(fair=("down",))
    def lands(s) -> tuple[bool, Bool]:
        """On the ground."""
        return True, s.height == 0


def test_leads_to_is_judged_from_every_initial_state() -> None:
    system = System("stairs", parts=[Stairs], configurations=[Configuration("c", sizes={})])
    [found] = judge(system.instance())
    assert found.lasso is not None
    assert list(found.lasso.lines())[:2] == ["  0. begins with", "       height: 3"]
    found.lasso.check()


def test_a_counterexample_to_induction_tells_what_initial_states_choose() -> None:
    broken = prove(TOKENS.instance()).proof("few").broken_by
    assert broken is not None
    lines = broken.lines()
    assert lines[0].startswith("before: has is {pawn1: ")
    assert lines[1] == "before: lost is 4"


def test_where_no_step_changes_an_initial_state_bounded_checks_say_so() -> None:
    class Still(Part):
        n = number(0, 3, initially=any_of(0, 2))

        @action
        def stay(s) -> None:
            s.n = s.n

    found = bmc(System("still", parts=[Still], configurations=[Configuration("c", sizes={})]).instance(), 2)
    assert found.claim == "no violation in the initial states, and no step changes one"


def test_invariants_are_looked_for_among_all_initial_states() -> None:
    """What is kept by every step and holds in a sample must hold initially, too."""
    instance = EWD840.instance("n3")
    rows = set(map(tuple, reached(instance, 10).tolist()))
    assert {tuple(to_cells(instance, state)) for state in Evaluator(instance).initials} <= rows
