"""What each form of the language means in a proof for any size."""

from typing import Self

from tests.model.parametric_parts import ROOT, Grant, Node, Owner, User, assert_breaks, model_of, prove_part, verdicts

from genstamp_model.language import (
    Bool,
    Maybe,
    Part,
    action,
    bag,
    choose,
    count,
    exists,
    invariant,
    maximum,
    members,
    minimum,
    none,
    number,
    optional,
    ordered,
    per,
    reference,
    require,
    those,
    transition,
)
from genstamp_model.parametric import prove_parametric
from genstamp_model.prove import Verdict
from genstamp_model.prove.reliance import RANGES

# Forms.


class Meter(Part):
    """Numbers of some nodes, and who has the smallest."""

    level = per(Node, number(0, 9))
    low = number(0, 9)
    winner = optional(Node)
    active = members(Node)

    @action
    def raise_level(s, node: Node) -> None:
        require(s.level[node] < 9, "there is room")
        s.level[node] = s.level[node] + 1

    @action
    def measure(s) -> None:
        s.low = minimum(Node, lambda n: s.level[n], where=lambda n: s.active.has(n), default=0)

    @action
    def elect(s, node: Maybe[Node]) -> None:
        s.active = those(Node, lambda n: n == node)
        s.winner = choose(
            Node, lambda n: s.level[n] == maximum(Node, lambda m: s.level[m], where=s.active.has, default=9)
        )


def test_minimum_is_told_by_a_witness() -> None:
    class Claims(Meter):
        @transition(inductive=True)
        def low_is_below_all_active(s, t: Self, node: Node) -> Bool:
            return (t.low == s.low) | ~s.active.has(node) | (t.low <= s.level[node])

        @transition(inductive=True)
        def low_is_of_some_active(s, t: Self) -> Bool:
            return (t.low == s.low) | exists(Node, lambda n: s.active.has(n) & (t.low == s.level[n]))

    model = model_of(Claims)
    report = prove_parametric(model)
    # The default, where nobody is active, is the low of nobody.
    assert verdicts(report) == {"low_is_below_all_active": "proved", "low_is_of_some_active": "violated"}
    assert_breaks(model, report.proof("low_is_of_some_active"))


def test_a_step_that_leaves_a_range_by_a_witness_breaks_nothing() -> None:
    """What tells the witness of an effect is told, although the claim after the step has a witness of its own."""

    class Swapped(Part):
        level = per(Node, number(0, 9))
        active = members(Node)
        spare = number(0, 5)

        @action
        def swap(s) -> None:
            s.spare = minimum(Node, lambda n: s.level[n], where=lambda n: ~s.active.has(n), default=0)
            s.active = those(Node, lambda n: ~s.active.has(n))

        @invariant(inductive=True)
        def some_active_level_is_low(s) -> Bool:
            return minimum(Node, lambda n: s.level[n], where=lambda n: s.active.has(n), default=0) <= 5

    proof = prove_part(Swapped).proof("some_active_level_is_low")
    assert [row.verdict for row in proof.obligations] == [Verdict.PROVED, Verdict.PROVED]


def test_choice_is_of_the_first_member() -> None:
    class Chosen(Part):
        up = members(Owner, initially_all=True)
        leader = optional(Owner)
        again = optional(Owner)

        @action
        def fail(s, owner: Owner) -> None:
            s.up.remove(owner)
            s.leader = choose(Owner, lambda o: s.up.has(o))
            s.again = choose(Owner, lambda o: ~exists(Owner, lambda other: (other == o) & ~s.up.has(o)))

        @invariant(inductive=True)
        def same_choice_again(s) -> Bool:
            return s.leader == s.again

        @invariant(inductive=True)
        def named_members_come_last(s, user: User) -> Bool:
            return (s.leader == ROOT).implies(~s.up.has(user))

        @invariant(inductive=True)
        def root_never_leads(s) -> Bool:
            return s.leader != ROOT

    model = model_of(Chosen)
    report = prove_parametric(model)
    assert verdicts(report) == {
        "same_choice_again": "proved",
        "named_members_come_last": "proved",
        "root_never_leads": "violated",
    }
    assert_breaks(model, report.proof("root_never_leads"))


def test_read_through_nobody_gives_the_first_member() -> None:
    class Reads(Part):
        nobody = optional(Node)
        table = per(Node, reference(Node))
        read = reference(Node)
        first = optional(Node)

        @action
        def look(s) -> None:
            s.read = s.table[s.nobody]
            s.first = choose(Node, lambda n: n == n)

        @action
        def fill(s, node: Node, other: Node) -> None:
            s.table[node] = other

        @invariant(inductive=True)
        def nobody_is_nobody(s) -> Bool:
            return s.nobody.is_none()

        @invariant(inductive=True, given=("nobody_is_nobody",))
        def read_is_first(s) -> Bool:
            return s.first.is_none() | (s.first == s.read)

    assert verdicts(prove_part(Reads)) == {"nobody_is_nobody": "proved", "read_is_first": "proved"}


def test_counts_are_compared_with_small_constants() -> None:
    class Seats(Part):
        seated = members(Node)

        @action
        def sit(s, node: Node) -> None:
            require(s.seated.size() < 2, "there is a seat")
            s.seated.add(node)

        @invariant(inductive=True)
        def two_seats(s) -> Bool:
            return count(Node, s.seated.has) <= 2

        @invariant(inductive=True)
        def one_seat(s) -> Bool:
            return s.seated.size() <= 1

    model = model_of(Seats)
    report = prove_parametric(model)
    assert verdicts(report) == {"two_seats": "proved", "one_seat": "violated"}
    assert_breaks(model, report.proof("one_seat"))
    broken = report.proof("one_seat").broken_by
    assert broken is not None
    assert broken.sizes == ("2 Node",)


def test_subset_has_no_named_members() -> None:
    class Owners(Part):
        owner = reference(Owner)
        user = optional(User)
        last = reference(User)

        @action
        def give(s, user: User) -> None:
            s.owner = user
            s.last = user

        @action
        def take(s, owner: Owner) -> None:
            require(owner == ROOT, "it is the root")
            s.user = none

        @invariant(inductive=True)
        def never_the_root(s) -> Bool:
            return (s.owner != ROOT) & (s.last != ROOT)

        @invariant(inductive=True)
        def always_the_first(s) -> Bool:
            return s.owner == s.last

    assert set(verdicts(prove_part(Owners)).values()) == {"proved"}


def test_property_that_fails_initially_is_shown() -> None:
    class Lamps(Part):
        lit = members(Node)

        @action
        def light(s, node: Node) -> None:
            s.lit.add(node)

        @invariant(inductive=True)
        def some_lit(s) -> Bool:
            return ~s.lit.is_empty()

    proof = prove_part(Lamps).proof("some_lit")
    assert proof.broken_by is not None
    assert proof.broken_by.lines == (
        "initially",
        "with 1 Node",
        "fails: some_lit: ~(lit == {}) is false, where lit = {}",
    )


def test_number_that_leaves_its_range_is_shown() -> None:
    class Climber(Meter):
        @action
        def raise_level(s, node: Node) -> None:
            s.level[node] = s.level[node] + 1

    proof = prove_part(Climber).proof(RANGES)
    assert proof.verdict is Verdict.VIOLATED
    assert proof.broken_by is not None
    assert proof.broken_by.lines[:-1] == ("with 1 Node", "before: level[node1] is 9", "step: raise_level(node node1)")
    assert proof.broken_by.lines[-1].endswith("raise_level makes level[0] 10, outside 0..9")


def test_step_that_would_leave_a_range_is_no_step() -> None:
    class Twins(Part):
        left = number(0, 3)
        right = number(0, 3, initially=3)

        @action
        def both(s) -> None:
            s.left = s.left + 1
            s.right = s.right + 1

        @action
        def one(s) -> None:
            require(s.left < 3, "there is room")
            s.left = s.left + 1

        @invariant(inductive=True)
        def left_is_low(s) -> Bool:
            return s.left < 2

    model = model_of(Twins)
    report = prove_parametric(model)
    assert report.proof(RANGES).verdict is Verdict.VIOLATED
    proof = report.proof("left_is_low")
    assert [row.verdict for row in proof.obligations] == [Verdict.PROVED, Verdict.VIOLATED, Verdict.VIOLATED]
    assert proof.broken_by is not None
    assert proof.broken_by.lines[:2] == ("before: left is 1", "before: right is 0")
    assert_breaks(model, proof)


# Messages.


class Grants(Part):
    """Nodes that are told to work; the later stamp counts."""

    stamp = ordered(limit="stamps")
    known = per(Node, ordered(limit="stamps"))
    post = bag(Grant, limit="posts")

    @action
    def grant(s, node: Node) -> None:
        s.stamp = s.stamp + 1
        s.post.send(Grant(node=node, stamp=s.stamp))

    @action
    def receive(s) -> None:
        grant = s.post.receive()
        require(s.known[grant.node] < grant.stamp, "the grant is new")
        s.post.take(grant)
        s.known[grant.node] = grant.stamp

    @invariant(inductive=True)
    def grants_were_drawn(s) -> Bool:
        return s.post.every(lambda grant: grant.stamp <= s.stamp)

    @invariant(inductive=True, given=("grants_were_drawn",))
    def known_were_drawn(s, node: Node) -> Bool:
        return s.known[node] <= s.stamp


def test_bag_is_the_set_of_messages_on_their_way() -> None:
    report = prove_part(Grants)
    assert verdicts(report) == {"grants_were_drawn": "proved", "known_were_drawn": "proved"}
    assert not any(row.circle for proof in report.proofs for row in proof.obligations)


def test_message_that_is_taken_may_have_copies() -> None:
    class Once(Grants):
        @invariant(inductive=True, given=("grants_were_drawn", "known_were_drawn"))
        def known_is_not_on_its_way(s, node: Node) -> Bool:
            return s.post.every(
                lambda grant: (grant.node != node) | (grant.stamp != s.known[node]) | (s.known[node] == 0)
            )

    model = model_of(Once)
    proof = prove_parametric(model).proof("known_is_not_on_its_way")
    assert proof.verdict is Verdict.VIOLATED
    assert_breaks(model, proof)
    assert proof.broken_by is not None
    # Two copies: one is taken, the other stays.
    assert proof.broken_by.action is model.action("receive")
    assert proof.broken_by.before == (1, (0,), ((0, 1), (0, 1)))
    assert proof.broken_by.after == (1, (1,), ((0, 1),))
