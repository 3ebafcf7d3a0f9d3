"""The meaning of each field of `genstamp logs check --format json`, for the page docs/logs-tables.md.

Not here: how the fields are filled (`genstamp.logs.report`). A test compares both.
"""

from collections.abc import Mapping
from typing import Final, NamedTuple


class Field(NamedTuple):
    """One field: its type in words of JSON, and what it means."""

    type: str
    meaning: str


_NAMESPACE = Field("string", "the cluster, as in the tables")
_OF_KIND = Field("string", "`file`, `block`, `replica`, `lease` or `node`")
_SAFETY = Field("string", "`conformant`, `violated` or `undetermined`")
_COMPLETION = Field("string", "`complete`, `unfinished` or `unknown`")
_ENTITY = Field("string", "the key within namespace and kind, as in the tables")
_KEYS = Field("number", "how many keys that are")

FIELDS: Final[Mapping[str, Mapping[str, Field]]] = {
    "": {
        "safety": Field(
            "string",
            "`violated` if any key is, `conformant` if every line was read and every key conforms, else `undetermined`",
        ),
        "completion": Field("string", "of files and blocks that have begun: `complete`, `unfinished` or `unknown`"),
        "exit_code": Field("number", "that of the command"),
        "complete_log_asserted": Field("boolean", "whether `--complete` was given"),
        "events": Field("number", "events that were read"),
        "lines": Field("number", "lines and records that were read"),
        "seconds": Field("number", "how long reading and checking took"),
        "out": Field("string or null", "the directory of the tables; null if they were not kept"),
        "keys": Field("array", "how many keys of a kind have which verdicts"),
        "sources": Field("array", "how much was read of each file"),
        "rules": Field("array", "why keys are violated or undetermined, violations first, those of most keys first"),
        "unfinished": Field("array", "the states that files and blocks are left in"),
        "findings": Field("array", "the first 20 keys that are violated or undetermined, violated ones first"),
        "rejects": Field(
            "array of strings",
            "the first 20 lines that could not be read, as `file:line: reason`, and the text if it states a step",
        ),
        "unread": Field("number", "lines that state a step, and are of no layout that is known"),
        "known_layouts": Field("array of strings", "an example of each known layout; empty if there are no such lines"),
        "notes": Field("array", "a note on a file, for example that it was skipped"),
    },
    "keys[]": {
        "kind": _OF_KIND,
        "safety": _SAFETY,
        "completion": _COMPLETION,
        "begun": Field("boolean", "whether the beginning of their lives is in the log"),
        "keys": _KEYS,
        "slow": Field("number", "how many of them only the slow path could decide"),
    },
    "sources[]": {
        "file": Field("string", "its name, as given or found"),
        "source": Field("string", "the reader's name for what it read"),
        "events": Field("number", "events that it reported"),
        "lines": Field("number", "lines or records that it has, as far as it was read"),
        "rejects": Field("number", "lines or records that could not be read"),
    },
    "rules[]": {
        "kind": _OF_KIND,
        "safety": Field("string", "`violated` or `undetermined`"),
        "event": Field("string", 'the first event that was rejected; "" if none was'),
        "failed": Field("string", "the check that failed, each number as N"),
        "keys": _KEYS,
        "places": Field("array of strings", "`file:line` of the first of them"),
    },
    "unfinished[]": {
        "kind": Field("string", "`file` or `block`"),
        "states": Field("array of strings", "the states that are possible at the end"),
        "keys": _KEYS,
        "first": Field("array", "the first of them, by name"),
    },
    "unfinished[].first[]": {"namespace": _NAMESPACE, "kind": _OF_KIND, "entity": _ENTITY},
    "findings[]": {
        "namespace": _NAMESPACE,
        "kind": _OF_KIND,
        "entity": _ENTITY,
        "safety": Field("string", "`violated` or `undetermined`"),
        "event": Field("string", 'the first event that was rejected; "" if none was'),
        "states_before": Field("array of strings", "the states that were possible before it"),
        "failed": Field("string", "the check that failed, with its values, or why nothing could be found out"),
        "accepted": Field("string", 'the nearest event that would have been accepted; "" if there is none'),
        "place": Field("string", '`file:line` of the event; "" if there is none'),
        "steps": Field("array", "the story of the key, an event each"),
    },
    "findings[].steps[]": {
        "text": Field("string", "who did what, and the states that are possible after it"),
        "file": Field("string", "the place of the event"),
        "line": Field("number", "its line, or record of an edit log, from 1"),
    },
    "notes[]": {"file": Field("string", "its name"), "note": Field("string", "what should be known of it")},
}
"""By where the object is in the document; "" is the document itself."""
