"""Text of logs as it may be shown: the author of a log may have put codes for a terminal or a browser into it."""


def shown(text: str) -> str:
    """A text in which nothing is a command to a terminal, and nothing is lost.

    >>> shown("a\\x1b[2Jb")
    'a\\\\x1b[2Jb'
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
