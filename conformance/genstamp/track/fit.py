"""How one event fits one state of a model: the states that it can lead to, or why there is none.

Everything is computed as by `evaluate`, on unbounded integers, and remembered, since the runs of one test share most of
their states. Leaves out sets of states and their closure under hidden actions, which are the tracker's.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import TypeAlias, TypeVar

from genstamp.events import Event
from genstamp.track.names import Names
from genstamp.track.reason import Miss, call_text, values_in
from genstamp_model.evaluate import Arguments, Evaluator, State
from genstamp_model.language.model import Action, Configuration, Instance, Model
from genstamp_model.language.trace import ActionParameter, Check, MessageOf, OptionalMember, Range
from genstamp_model.language.types import EnumType, IndexSet, Type, Value
from genstamp_model.written_out import WrittenOutEvaluator

_UNLIMITED = 2**31 - 1
_MEMORY = 200_000
"""Results remembered of one kind; more than a long test needs, and a bound on its memory."""

_Key: TypeAlias = tuple[object, ...]
HiddenStep: TypeAlias = tuple[str, Arguments]
"""A hidden action by name, with its arguments."""

K = TypeVar("K")
V = TypeVar("V")


@dataclass(frozen=True)
class Offer:
    """A call that a state of the model answers.

    Attributes:
        event: name of the event.
        arguments: its arguments in the run's words, by name.
        refused_with: the exception with which the model refuses it, if it does.
        changes: something happens, be it in a call that is refused; False where a check refuses or all is done already.
    """

    event: str
    arguments: tuple[tuple[str, str], ...]
    refused_with: str | None
    changes: bool


class Fit:
    """One model, in the words of one kind of run.

    Args:
        model: the model.
        names: the run's words.
        unseen: the actions that the run does not show, each with those members for which it may happen, by parameter;
            where nothing is said of a parameter, any. By default, the model's hidden ones.
        impossible: actions that no event of the run is.
        told_apart: actions that the run tells apart from others of their event, each with the name of its own event;
            a hidden action that is named here is shown.
        forgotten: variables that no step reads, as counters that are only limited: they keep their initial value, so
            that states that differ in nothing else are one.
        chosen: by event, numbers that the model picks and a caller says with it.
    """

    def __init__(
        self,
        model: Model,
        names: Names,
        *,
        unseen: Mapping[str, Mapping[str, Sequence[str]]] | None = None,
        impossible: frozenset[str] = frozenset(),
        told_apart: Mapping[str, str] | None = None,
        forgotten: Sequence[str] = (),
        chosen: Mapping[str, Collection[str]] | None = None,
    ) -> None:
        self.model = model
        self._said = chosen or {}
        self.names = names
        self._unseen = {a.name: {} for a in model.actions if a.hidden} if unseen is None else unseen
        limits = dict.fromkeys(model.limit_names, _UNLIMITED)
        self.evaluator: Evaluator = WrittenOutEvaluator(Instance(model, Configuration("run", names.unnamed, limits)))
        self._actions: dict[str, list[Action]] = defaultdict(list)
        by_name = {variable.name: position for position, variable in enumerate(model.variables)}
        self._forgotten = tuple(by_name[name] for name in forgotten)
        self._first = self.evaluator.initial()
        self._apart = told_apart or {}
        for action in model.actions:
            is_shown = not action.hidden or action.name in self._apart
            if is_shown and action.name not in impossible:
                self._actions[self._apart.get(action.name, action.event)].append(action)
        self.events = tuple(self._actions)
        self._arguments = {event: _arguments(actions) for event, actions in self._actions.items()}
        self._calls: dict[str, tuple[tuple[tuple[str, str], ...], ...]] = {}
        self._by_name = {action.name: action for action in model.actions}
        # Of these, an argument is a message on its way, so that the choice is the state's.
        self._with_messages = {
            a.name for a in model.actions if any(isinstance(p.domain, MessageOf) for p in a.parameters)
        }
        self._chosen: dict[_Key, tuple[Arguments, ...]] = {}
        self._unseen_chosen: dict[str, tuple[Arguments, ...]] = {}
        self._after: dict[_Key, tuple[State, ...]] = {}
        self._hidden: dict[State, tuple[tuple[HiddenStep, State], ...]] = {}
        self._offers: dict[_Key, tuple[Offer, ...]] = {}

    def initial(self) -> State:
        """The state in which every run begins."""
        return self._first

    def arguments(self, event: str) -> tuple[str, ...]:
        """Names of what a caller of an event says."""
        return tuple(self._arguments[event])

    def shows(self, event: str) -> frozenset[str]:
        """Names of all that the model can show of an event."""
        return frozenset(name for action in self._actions[event] for name, _ in action.observations)

    def after(self, state: State, event: Event) -> tuple[State, ...]:
        """The states to which the event can lead from a state; empty where it does not fit.

        Raises:
            EvaluationError: the model computes a value outside its declared range.
        """
        key = (state, *_signature(event))
        found = self._after.get(key)
        if found is None:
            found = _remember(self._after, key, tuple(dict.fromkeys(after for *_, after in self.taken(state, event))))
        return found

    def taken(self, state: State, event: Event) -> Iterator[tuple[Action, Arguments, Check | None, State]]:
        """What the event can be in a state: the action, with the check that refuses it if one does, and what follows.

        Raises:
            EvaluationError: the model computes a value outside its declared range.
        """
        for action, arguments in self._steps(state, event.event, event.arguments):
            failing = self.evaluator.first_failing(action, arguments, state)
            if failing is None:
                if action.refuses == event.refused_with and not self._differences(action, arguments, state, event):
                    yield action, arguments, None, self._apply(action, arguments, state)
            elif failing.refuses is not None and failing.refuses == event.refused_with:
                yield action, arguments, failing, state

    def brought_about(self, state: State, action: str, members: Mapping[str, str]) -> State:
        """The state after an action that time brings about, if it is possible; else the state.

        Args:
            state: before it.
            action: its name.
            members: its arguments in the run's words.
        """
        key = (state, action, *members.items())
        found = self._after.get(key)
        if found is None:
            declared = self._by_name[action]
            possible = [
                self._apply(declared, arguments, state)
                for arguments in self._choices(declared, state, members)
                if self.evaluator.first_failing(declared, arguments, state) is None
            ]
            found = _remember(self._after, key, tuple(possible[:1]) or (state,))
        return found[0]

    def possible(self, state: State, action: str) -> Iterator[tuple[tuple[str, str], ...]]:
        """The arguments, in the run's words, with which an action is possible in a state."""
        declared = self.model.action(action)
        for arguments in self.evaluator.choices(declared, state):
            if self.evaluator.first_failing(declared, arguments, state) is None:
                said = zip(declared.parameters, arguments, strict=True)
                yield tuple((p.name, self.names.text(value, p.type)) for p, value in said)

    def _apply(self, action: Action, arguments: Arguments, state: State) -> State:
        after = self.evaluator.apply(action, arguments, state)
        if not self._forgotten:
            return after
        kept = list(after)
        for position in self._forgotten:
            kept[position] = self._first[position]
        return tuple(kept)

    def hidden(self, state: State) -> tuple[tuple[HiddenStep, State], ...]:
        """Every hidden step that leads to another state, and that state."""
        found = self._hidden.get(state)
        if found is None:
            steps = (
                ((action.name, arguments), self._apply(action, arguments, state))
                for action in self.model.actions
                if action.name in self._unseen
                for arguments in self._unseen_choices(action, state)
                if self.evaluator.first_failing(action, arguments, state) is None
            )
            found = _remember(self._hidden, state, tuple((step, after) for step, after in steps if after != state))
        return found

    def members_of(self, step: HiddenStep) -> set[str]:
        """Names of the members that a hidden step is about."""
        name, arguments = step
        parameters = self.model.action(name).parameters
        domains = ((parameter.domain, value) for parameter, value in zip(parameters, arguments, strict=True))
        return {
            self.names.member(domain, value)
            for domain, value in domains
            if isinstance(domain, IndexSet) and isinstance(value, int)
        }

    def _unseen_choices(self, action: Action, state: State) -> Iterable[Arguments]:
        """Every choice of arguments for which the action may happen unseen; remembered likewise."""
        allowed = self._unseen[action.name]
        if not allowed:
            return self._choices(action, state, {})
        found = self._unseen_chosen.get(action.name)
        if found is None:
            domains = (
                [value for word in allowed.get(p.name, ()) for value in self._domain(p, state, {p.name: word})]
                if p.name in allowed
                else self._domain(p, state, {})
                for p in action.parameters
            )
            found = tuple(product(*domains))
            if action.name not in self._with_messages:
                self._unseen_chosen[action.name] = found
        return found

    def offers(self, state: State, event: str) -> tuple[Offer, ...]:
        """What a state answers to each call of an event, by performing a step or with an exception."""
        key = (state, event)
        found = self._offers.get(key)
        if found is None:
            found = _remember(self._offers, key, tuple(dict.fromkeys(self._offers_of(state, event, {}))))
        return found

    def answers(self, state: State, event: str, arguments: Mapping[str, str]) -> list[Offer]:
        """What the model answers to one call in a state, each answer once; empty where it cannot happen now."""
        return list(dict.fromkeys(self._offers_of(state, event, arguments)))

    def calls(self, event: str) -> tuple[tuple[tuple[str, str], ...], ...]:
        """Every choice of arguments with which an event can be asked for."""
        found = self._calls.get(event)
        if found is None:
            sets = self._arguments[event]
            choices = product(*(self.names.members(index) for index in sets.values()))
            found = self._calls[event] = tuple(tuple(zip(sets, choice, strict=True)) for choice in choices)
        return found

    def _offers_of(self, state: State, event: str, fixed: Mapping[str, str]) -> Iterator[Offer]:
        for action, arguments, failing, after in self.steps(state, event, fixed):
            words = self.words(action, arguments)
            if failing is None:
                yield Offer(event, words, action.refuses, after != state)
            else:
                yield Offer(event, words, failing.refuses, changes=False)

    def steps(
        self, state: State, event: str, fixed: Mapping[str, str]
    ) -> Iterator[tuple[Action, Arguments, Check | None, State]]:
        """The steps and refusals of an event that are possible in a state.

        Args:
            state: the state.
            event: its name.
            fixed: arguments that it has, in words; any are tried of the others.

        Returns:
            Action, arguments, the check that refuses it if one does, and the state after it.
        """
        for action, arguments in self._steps(state, event, fixed):
            failing = self.evaluator.first_failing(action, arguments, state)
            if failing is None:
                yield action, arguments, None, self.evaluator.apply(action, arguments, state)
            elif failing.refuses is not None:
                yield action, arguments, failing, state

    def words(self, action: Action, arguments: Arguments) -> tuple[tuple[str, str], ...]:
        """What a caller says to make an action happen with these arguments: names and words."""
        event = self._apart.get(action.name, action.event)
        bound = {p.name: (p, value) for p, value in zip(action.parameters, arguments, strict=True)}
        names = (*self._arguments[event], *(name for name in self._said.get(event, ()) if name in bound))
        return tuple((name, self.names.text(bound[name][1], bound[name][0].type)) for name in names)

    def _steps(self, state: State, event: str, fixed: Mapping[str, str]) -> Iterator[tuple[Action, Arguments]]:
        for action in self._actions.get(event, ()):
            for arguments in self._choices(action, state, fixed):
                yield action, arguments

    def _choices(self, action: Action, state: State, fixed: Mapping[str, str]) -> Iterable[Arguments]:
        """Every choice of arguments; it is remembered where it is the same in every state."""
        if action.name in self._with_messages:
            return product(*(self._domain(parameter, state, fixed) for parameter in action.parameters))
        key = (action.name, *fixed.items())
        found = self._chosen.get(key)
        if found is None:
            found = tuple(product(*(self._domain(parameter, state, fixed) for parameter in action.parameters)))
            _remember(self._chosen, key, found)
        return found

    def _domain(self, parameter: ActionParameter, state: State, fixed: Mapping[str, str]) -> list[Value]:
        word = fixed.get(parameter.name)
        domain = parameter.domain
        if isinstance(domain, MessageOf):
            messages = self.evaluator.named(state)[domain.bag]
            assert isinstance(messages, tuple)
            return list(dict.fromkeys(messages))
        if isinstance(domain, Range):
            return [value for value in range(domain.low, domain.high + 1) if word is None or str(value) == word]
        index = domain if isinstance(domain, IndexSet) else domain.index
        chosen: list[Value] = list(range(self.evaluator.sizes.of(index)))
        if word is not None:
            chosen = [position for position in chosen if self.names.position(index, word) == position]
        if isinstance(domain, OptionalMember) and word in (None, "none"):
            chosen.append(None)
        return chosen

    def unknown_members(self, event: Event) -> list[str]:
        """Arguments of an event that name no member of any index set that an action of it asks for, in words."""
        found = []
        for name, word in event.arguments.items():
            asked = [p.domain for a in self._actions[event.event] for p in a.parameters if p.name == name]
            known = [self.names.members(domain) for domain in asked if isinstance(domain, IndexSet)]
            if asked and len(known) == len(asked) and all(word not in names for names in known):
                found.append(f"{name} '{word}' is unknown in this run; it has {', '.join(known[0])}")
        return found

    def _differences(
        self, action: Action, arguments: Arguments, state: State, event: Event
    ) -> list[tuple[str, str, str]]:
        """Observations that the event shows otherwise, as (name, expected, shown)."""
        if not action.observations:
            return []
        observed = self.evaluator.observed(action, arguments, state)
        found = []
        for name, expression in action.observations:
            shown = _shown(event, name)
            expected = self.names.text(observed[name], expression.type, name)
            if shown is not None and not _equal(expected, shown, expression.type):
                found.append((name, expected, shown))
        return found

    def misses(self, state: State, event: Event) -> Iterator[Miss]:
        """Why each step of the model under the event's name does not fit it in a state.

        What refuses by its nature is left out where the run was not refused: it is what the model does instead.
        """
        for action, arguments in self._steps(state, event.event, event.arguments):
            failing = self.evaluator.first_failing(action, arguments, state)
            if action.refuses is not None and event.refused_with is None:
                continue
            if failing is None:
                yield self._miss_of_enabled(action, arguments, state, event)
            else:
                yield self._miss_of_check(failing, action, arguments, state, event)

    def _miss_of_check(self, check: Check, action: Action, arguments: Arguments, state: State, event: Event) -> Miss:
        if check.refuses is None:
            problem = f"'{check.label}' does not hold"
        elif event.refused_with is None:
            problem = f"'{check.label}' does not hold, so the model refuses with {check.refuses}"
        else:
            instead = f"{check.refuses}, not with {event.refused_with}"
            problem = f"'{check.label}' does not hold, so the model refuses with {instead}"
        return Miss(
            action=action.name,
            call=call_text(action, arguments, self.names),
            # A refusal is what the model answers, so it is closer than a step that just cannot happen; but not closer
            # than a step that would be refused as the run was.
            rank=(int(check.refuses is not None or _is_refused_alike(action, event)), action.checks.index(check)),
            problem=problem,
            label=check.label,
            refuses=check.refuses,
            source=check.source,
            values=values_in(check.condition, action, arguments, state, self.evaluator, self.names),
        )

    def _miss_of_enabled(self, action: Action, arguments: Arguments, state: State, event: Event) -> Miss:
        differences = self._differences(action, arguments, state, event)
        checks = len(action.checks)
        if action.refuses != event.refused_with:
            answer = f"refuses with {action.refuses}" if action.refuses else "performs the step"
            shown = f"refused it with {event.refused_with}" if event.refused_with else "performed it"
            problem, rank = f"all checks hold and the model {answer}, but the run {shown}", (1, checks)
        else:
            told = "; ".join(f"{name} is {expected}, shown {shown}" for name, expected, shown in differences)
            problem, rank = f"all checks hold, but {told}", (2, checks + len(action.observations) - len(differences))
        return Miss(
            action=action.name,
            call=call_text(action, arguments, self.names),
            rank=rank,
            problem=problem,
            label=None,
            refuses=action.refuses,
            source=action.source,
        )


def _is_refused_alike(action: Action, event: Event) -> bool:
    """Whether the action is a refusal with the exception that the event shows."""
    return action.refuses is not None and action.refuses == event.refused_with


def _arguments(actions: Sequence[Action]) -> dict[str, IndexSet]:
    """What a caller of an event says: what all its actions take and no action chooses by itself."""
    common = set.intersection(*({p.name for p in action.parameters} for action in actions))
    first = actions[0].parameters
    return {p.name: p.domain for p in first if p.name in common and isinstance(p.domain, IndexSet)}


def _signature(event: Event) -> _Key:
    """All of an event that the model judges."""
    return (
        event.event,
        event.refused_with,
        event.generation_stamp,
        event.recovery_id,
        event.num_bytes,
        frozenset(event.arguments.items()),
        frozenset(event.observed.items()),
    )


def _shown(event: Event, name: str) -> str | None:
    """What an event shows under a name, in a column or among what was observed; None where it does not."""
    match name:
        case "generation_stamp":
            column = event.generation_stamp
        case "recovery_id":
            column = event.recovery_id
        case "num_bytes":
            column = event.num_bytes
        case _:
            column = None
    return event.observed.get(name) if column is None else str(column)


def _equal(expected: str, shown: str, type_: Type) -> bool:
    # A state has one name whether it is written as Java's enumeration or as a specification's identifier.
    return expected.casefold() == shown.casefold() if isinstance(type_, EnumType) else expected == shown


def _remember(memory: dict[K, V], key: K, value: V) -> V:
    if len(memory) >= _MEMORY:
        memory.clear()
    memory[key] = value
    return value
