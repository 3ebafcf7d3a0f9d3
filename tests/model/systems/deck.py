"""Cards that are put on a deck and taken out of it, wherever they are: every change of a sequence."""

from typing import Annotated, Self

from genstamp_model.language import *


class Player(Index, symmetric=True):
    """Has a deck, and is on cards."""


class Card(Record):
    """A card in a player's favour."""

    favours = reference(Player)
    trump = flag()


class Decks(Part):
    """A deck, and numbers that each player keeps in mind."""

    deck = sequence(record(Card), capacity=3)
    memory = per(Player, sequence(number(0, 2), capacity=2))
    last = optional(Player)

    @action
    def put(s, player: Player) -> None:
        """A card comes on the deck, which is a trump if the player has none there."""
        require(s.deck.size() < 3, "there is room")
        has_none = s.deck.every(lambda card: (card.favours != player) | ~card.trump)
        longer = s.deck.appended(Card(favours=player, trump=has_none))
        require(longer.size() <= 3, "there is room still")
        s.deck = longer

    @action
    def draw(s, player: Player, place: Annotated[Number, -1, 3]) -> None:
        """A player takes out a card, or misses the deck."""
        require(s.deck.size() > 0, "there is a card")
        s.last = when(s.deck.without(place) == s.deck, s.last, player)
        s.deck.remove_at(place)

    @action
    def burn(s, player: Player) -> None:
        """The first trump of a player goes, and what it remembers of that place."""
        trump = Card(favours=player, trump=True)
        require(s.deck.has(trump), "it has one")
        place = s.deck.index(trump)
        require((s.memory[player].size() < 2) & (place < 3), "it can remember")
        s.deck.remove(trump)
        s.memory[player].append(place)

    @action
    def forget(s, player: Player) -> None:
        """All cards of a player go, and the highest number that it remembers."""
        s.deck = s.deck.where(lambda card: card.favours != player)
        s.memory[player] = s.memory[player].where(lambda one: one < 1)

    @invariant(inductive=True)
    def what_is_remembered_is_a_place(s, player: Player) -> Bool:
        """No other numbers are put there."""
        return s.memory[player].every(lambda one: (one >= 0) & (one < 3))

    @invariant
    def where_keeps_what_it_says(s) -> Bool:
        """Those that are left are trumps of the deck."""
        kept = s.deck.where(lambda card: card.trump)
        return kept.every(lambda card: card.trump) & ((kept.size() == 0) | s.deck.has(kept.first()))

    @transition
    def the_deck_changes_by_one_or_shrinks(s, t: Self) -> Bool:
        """Only by a card more."""
        return t.deck.size() <= s.deck.size() + 1

    @witness
    def a_trump_is_the_third(s, player: Player) -> Bool:
        """There can be one."""
        return s.deck.index(Card(favours=player, trump=True)) == 2


DECK = System(
    "deck",
    parts=[Decks],
    configurations=[Configuration(f"p{n}", sizes={"Player": n}) for n in (1, 2)],
)
