"""How one event fits one state of a model: the states that it can lead to, or why there is none.

Everything is computed as by `evaluate`, on unbounded integers, and remembered, since the runs of one test share most of
their states. Not here: sets of states and their closure under hidden actions, which are the tracker's.
"""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import product

from genstamp.events import Event
from genstamp.track.known import Call, HiddenStep, Known, Offer, Shown, Words
from genstamp.track.names import Names
from genstamp.track.reason import Miss, call_text, values_in
from genstamp_model.evaluate import Arguments, State
from genstamp_model.language.model import Action, Configuration, Instance, Model
from genstamp_model.language.trace import Check, MessageOf
from genstamp_model.language.types import EnumType, IndexSet, NumberType, Type
from genstamp_model.written_out import ENABLED, WrittenOutEvaluator

_UNLIMITED = 2**31 - 1
_MEMORY = 20_000
"""States remembered; more than a long test comes to, and a bound on its memory."""


class Fit:
    """One model, in the words of one kind of run.

    Args:
        model: the model.
        names: the run's words.
        unseen: the actions that the run does not show, each with those members for which it may happen, by parameter;
            where nothing is said of a parameter, any. By default, the model's hidden ones.
        impossible: actions that no event of the run is.
        told_apart: actions that the run distinguishes from others of their event, each with the name of its own event;
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
        unseen = {action.name: {} for action in model.actions if action.hidden} if unseen is None else unseen
        self._hidden_actions = [(action, unseen[action.name]) for action in model.actions if action.name in unseen]
        limits = dict.fromkeys(model.limit_names, _UNLIMITED)
        self.evaluator = WrittenOutEvaluator(Instance(model, Configuration("run", names.unnamed, limits)))
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
        self._refusing = {event: self._others_of(event) for event in self.events}
        self._arguments = {event: _arguments(actions) for event, actions in self._actions.items()}
        self._calls: dict[str, tuple[Words, ...]] = {}
        self._by_name = {action.name: action for action in model.actions}
        self._answered: dict[tuple[str, str, Arguments, int], Call] = {}
        self._known: dict[State, Known] = {}

    def _others_of(self, event: str) -> list[Action]:
        """Ways of the event's calls that the run distinguishes from it: a refusal of all ways stands with the first."""
        declared = {action.declared for action in self._actions[event]}
        return [
            action
            for other, actions in self._actions.items()
            for action in actions
            if other != event and action.declared in declared
        ]

    def initials(self) -> tuple[State, ...]:
        """The states in which a run can begin."""
        return tuple(dict.fromkeys(map(self._remembered, self.evaluator.initials)))

    def arguments(self, event: str) -> tuple[str, ...]:
        """Names of what a caller of an event says."""
        return tuple(self._arguments[event])

    def shows(self, event: str) -> frozenset[str]:
        """Names of all that the model can show of an event."""
        return frozenset(name for action in self._actions[event] for name, _ in action.observations)

    def at(self, state: State) -> Known:
        """The known facts about a state."""
        known = self._known.get(state)
        if known is None:
            if len(self._known) >= _MEMORY:
                self._known.clear()
            known = self._known[state] = Known(state)
        return known

    def after(self, state: State, event: Event) -> tuple[State, ...]:
        """The states to which the event can lead from a state; empty where it does not fit.

        Raises:
            EvaluationError: the model computes a value outside its declared range.
        """
        return tuple(dict.fromkeys(after for _, after in self.taken(state, event)))

    def taken(self, state: State, event: Event) -> tuple[tuple[Call, State], ...]:
        """What the event can be in a state: the call, and what follows.

        Raises:
            EvaluationError: the model computes a value outside its declared range.
        """
        known, key = self.at(state), _signature(event)
        found = known.taken.get(key)
        if found is None:
            found = known.taken[key] = tuple(
                (call, self.state_after(known, call))
                for call in self.calls_at(known, event.event)
                if call.refused_with == event.refused_with and call.is_of(event.arguments)
                if call.check is not None or not self._differences(call.action, call.arguments, state, event)
            )
        return found

    def brought_about(self, state: State, action: str, members: Mapping[str, str]) -> State:
        """The state after an action that time brings about, if it is possible; else the state.

        Args:
            state: before it.
            action: its name.
            members: its arguments in the run's words.
        """
        possible = (call for call in self._enabled(state, self._by_name[action]) if call.is_of(members))
        call = next(possible, None)
        return state if call is None else self.state_after(self.at(state), call)

    def possible(self, state: State, action: str) -> Iterator[Words]:
        """The arguments, in the run's words, with which an action is possible in a state."""
        declared = self._by_name[action]
        for call in self._enabled(state, declared):
            said = zip(declared.parameters, call.arguments, strict=True)
            yield tuple((p.name, self.names.text(value, p.type)) for p, value in said)

    def calls_at(self, known: Known, event: str) -> tuple[Call, ...]:
        """The calls of an event that a state answers, by performing a step or with an exception."""
        found = known.calls.get(event)
        if found is None:
            own = (
                call for action in self._actions.get(event, ()) for call in self._answers(event, action, known.state)
            )
            others = (
                call
                for action in self._refusing.get(event, ())
                for call in self._answers(event, action, known.state)
                if call.check is not None
            )
            found = known.calls[event] = (*own, *others)
        return found

    def state_after(self, known: Known, call: Call) -> State:
        """The state after a call that a state answers.

        Raises:
            EvaluationError: the model computes a value outside its declared range.
        """
        if call.check is not None:
            return known.state
        found = known.after.get(call)
        if found is None:
            found = known.after[call] = self._apply(call, known.state)
        return found

    def _answers(self, event: str, action: Action, state: State) -> Iterator[Call]:
        for arguments, position in self.evaluator.answers(action, state):
            key = (event, action.name, arguments, position)
            call = self._answered.get(key)
            if call is None:
                if len(self._answered) >= _MEMORY:
                    self._answered.clear()
                call = self._answered[key] = self._call(event, action, arguments, position)
            yield call

    def _enabled(self, state: State, action: Action) -> Iterator[Call]:
        event = self._apart.get(action.name, action.event)
        return (call for call in self._answers(event, action, state) if call.check is None)

    def _call(self, event: str, action: Action, arguments: Arguments, position: int) -> Call:
        words = self._words(event, action, arguments) if event in self._arguments else ()
        check = None if position == ENABLED else action.checks[position]
        refused_with = action.refuses if check is None else check.refuses
        return Call(
            action,
            arguments,
            check,
            self._said_of(action, arguments),
            words,
            refused_with,
            Offer(event, words, refused_with, changes=True),
            Offer(event, words, refused_with, changes=False),
        )

    def _said_of(self, action: Action, arguments: Arguments) -> Words:
        """All arguments in words but messages, which no run names."""
        return tuple(
            (p.name, str(value) if isinstance(p.type, NumberType) else self.names.text(value, p.type))
            for p, value in zip(action.parameters, arguments, strict=True)
            if not isinstance(p.domain, MessageOf)
        )

    def _apply(self, call: Call, state: State) -> State:
        return self._remembered(self.evaluator.apply(call.action, call.arguments, state))

    def _remembered(self, state: State) -> State:
        """The state without what is forgotten."""
        if not self._forgotten:
            return state
        kept = list(state)
        for position in self._forgotten:
            kept[position] = self._first[position]
        return tuple(kept)

    def hidden(self, state: State) -> tuple[tuple[HiddenStep, State], ...]:
        """Every hidden step that leads to another state, and that state."""
        known = self.at(state)
        if known.hidden is None:
            steps = (
                ((call.action.name, call.arguments), self.state_after(known, call))
                for action, allowed in self._hidden_actions
                for call in self._enabled(state, action)
                if not allowed or all(word in allowed.get(name, (word,)) for name, word in call.said)
            )
            known.hidden = tuple((step, after) for step, after in steps if after != state)
        return known.hidden

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

    def offers(self, state: State, event: str) -> tuple[Offer, ...]:
        """The answer of a state to each call of an event, a step or an exception."""
        return self.offers_at(self.at(state), event)

    def offers_at(self, known: Known, event: str) -> tuple[Offer, ...]:
        """The same for a state with known facts."""
        found = known.offers.get(event)
        if found is None:
            calls = self.calls_at(known, event)
            found = known.offers[event] = tuple(dict.fromkeys(self._offer(known, call) for call in calls))
        return found

    def answers(self, state: State, event: str, arguments: Mapping[str, str]) -> list[Offer]:
        """The model's answers to one call in a state, each once; empty if the call is not possible now."""
        known = self.at(state)
        calls = (call for call in self.calls_at(known, event) if call.is_of(arguments))
        return list(dict.fromkeys(self._offer(known, call) for call in calls))

    def _offer(self, known: Known, call: Call) -> Offer:
        return call.idle if self.state_after(known, call) == known.state else call.changing

    def calls(self, event: str) -> tuple[Words, ...]:
        """Every choice of arguments with which an event can be asked for."""
        found = self._calls.get(event)
        if found is None:
            sets = self._arguments[event]
            choices = product(*(self.names.members(index) for index in sets.values()))
            found = self._calls[event] = tuple(tuple(zip(sets, choice, strict=True)) for choice in choices)
        return found

    def words(self, action: Action, arguments: Arguments) -> Words:
        """The request with which a caller triggers an action with these arguments: names and words."""
        return self._words(self._apart.get(action.name, action.event), action, arguments)

    def _words(self, event: str, action: Action, arguments: Arguments) -> Words:
        bound = {p.name: (p, value) for p, value in zip(action.parameters, arguments, strict=True)}
        names = (*self._arguments[event], *(name for name in self._said.get(event, ()) if name in bound))
        return tuple((name, self.names.text(bound[name][1], bound[name][0].type)) for name in names)

    def unknown_members(self, event: Event) -> list[str]:
        """Arguments of an event that name no member of any index set that an action of it asks for, as text."""
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
        choices = (
            (action, arguments)
            for action in self._actions.get(event.event, ())
            if action.refuses is None or event.refused_with is not None
            for arguments in self.evaluator.choices(action, state)
        )
        for action, arguments in choices:
            if any(event.arguments.get(name, word) != word for name, word in self._said_of(action, arguments)):
                continue
            failing = self.evaluator.first_failing(action, arguments, state)
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


def _signature(event: Event) -> Shown:
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
    """The value of a name in an event, in a column or among the observations; None if it has none."""
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
