"""What a page can ask for in vain; each text is one sentence for its reader."""

from genstamp import exit_codes
from genstamp.errors import GenstampError


class ExplorerError(GenstampError):
    """A question of a page cannot be answered.

    Attributes:
        status: the HTTP status of the answer.
    """

    status = 400


class StepRefusedError(ExplorerError):
    """A run takes a step that is not possible where it does."""

    status = 409


class NotFoundError(ExplorerError):
    """There is no run, or no picture, of what was asked for.

    Attributes:
        exit_code: of a verb that was asked for it.
    """

    status = 404
    exit_code = exit_codes.VIOLATED


class UndeterminedError(NotFoundError):
    """A search was given up, or interrupted, before it had found a run."""

    status = 503
    exit_code = exit_codes.UNDETERMINED


class TooLargeError(ExplorerError):
    """A request is longer than the explorer reads."""

    status = 413
