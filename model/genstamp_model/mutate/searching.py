"""The searches that judge mutants: none of them says anything where it was interrupted."""

from genstamp_model.explore import INTERRUPTED, Result, Search


def searched(search: Search) -> Result:
    """The result of a search.

    Raises:
        KeyboardInterrupt: it was interrupted: what it has not seen by then may still be there.
    """
    result = search.run()
    if result.undetermined == INTERRUPTED:
        raise KeyboardInterrupt
    return result
