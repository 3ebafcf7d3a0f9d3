"""Systems on which what a judge makes of each step is compared with `evaluate`; together they have every form."""

from collections.abc import Callable

from tests.model.systems.choices import CHOICES
from tests.model.systems.corners import CORNERS
from tests.model.systems.deck import DECK
from tests.model.systems.division import DIVISION, EUCLID
from tests.model.systems.every_form import EVERY_FORM
from tests.model.systems.readers import READERS
from tests.model.systems.rings import TABLE
from tests.model.systems.two_phase import TWO_PHASE

from genstamp_model.language import Instance

COMPARED: dict[str, Callable[[], Instance]] = {
    "two_phase": lambda: TWO_PHASE.instance("three"),
    "every_form": lambda: EVERY_FORM.instance("wide"),
    "corners": CORNERS.instance,
    "choices": lambda: CHOICES.instance("g2"),
    "deck": lambda: DECK.instance("p2"),
    "division": DIVISION.instance,
    "euclid": EUCLID.instance,
    "readers": lambda: READERS.instance("a2"),
    "table": lambda: TABLE.instance("g2"),
}
