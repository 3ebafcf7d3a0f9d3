"""Each of three smokers has one ingredient of a cigarette, and a dealer offers the other two of one of them.

After CigaretteSmokers of the TLA+ Examples: 6 distinct states.
"""

from genstamp_model.language import *


class Ingredient(Index, only_named=True):
    """What a cigarette takes; a smoker is named by what it has."""

    MATCHES = named()
    PAPER = named()
    TOBACCO = named()


class CigaretteSmokers(Part):
    """What the dealer offers, and who smokes."""

    offered = members(Ingredient, initially=lambda one: any_of(True, False))
    smoking = per(Ingredient, flag())

    @initially
    def two_are_offered(s) -> Bool:
        """The dealer begins with some offer."""
        return s.offered.size() == 2

    @action
    def start_smoking(s) -> None:
        """The smoker that has what is not offered takes the offer."""
        require(~s.offered.is_empty(), "something is offered")
        s.smoking.update(lambda smoker: ~s.offered.has(smoker))
        s.offered.clear()

    @action
    def stop_smoking(s, offer: Members[Ingredient]) -> None:
        """The smoker stops, and the dealer offers something again."""
        require(s.offered.is_empty(), "nothing is offered")
        require(offer.size() == 2, "two ingredients are offered")
        s.smoking.update(lambda smoker: False)
        s.offered = offer

    @invariant(inductive=True)
    def at_most_one_smokes(s) -> Bool:
        """Only one smoker has what the others lack."""
        return (count(Ingredient, lambda smoker: s.smoking[smoker]) <= 1) & (
            s.offered.is_empty() | (s.offered.size() == 2)
        )

    @always_eventually(fair=("start_smoking", "stop_smoking"))
    def everything_is_taken_again(s) -> Bool:
        """No offer stays for ever."""
        return s.offered.is_empty()

    @witness
    def smokes(s, smoker: Ingredient) -> Bool:
        """Somebody gets to smoke."""
        return s.smoking[smoker]


CIGARETTE_SMOKERS = System(
    "cigarette_smokers", parts=[CigaretteSmokers], configurations=[Configuration("published", sizes={})]
)
