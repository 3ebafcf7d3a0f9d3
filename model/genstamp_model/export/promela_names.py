"""Unique names in a Promela text.

The text is preprocessed and translated to C, so words of Promela, the preprocessor and C cannot be names.
"""

from __future__ import annotations

import re

_PROMELA = """
active assert atomic bit bool break byte chan cond d_step d_proctype do else empty enabled end eval false fi for full
get_priority goto hidden if in init inline int len local ltl mtype nempty never nfull notrace np_ od of pc_value pid
printf printm priority proctype provided return run select set_priority short show skip STDIN timeout trace true
typedef unless unsigned xr xs c_code c_decl c_expr c_state c_track always eventually implies equivalent next until
release stronguntil weakuntil
"""
_C = """
auto case char const continue default double enum extern float long register
restrict return short signed sizeof static struct switch typedef union unsigned void volatile while linux unix
"""
# Of the verifier that Spin writes: types, and macros that would change the name of a field.
_PAN = """
State Trail Stack Trans P0 P1 Q0 Q1 T_SRC H_el SV_Hold now uchar ushort uint main errors depth Index Addproc min max
MAX MIN NULL EOF CHAR_BIT BUFSIZ stdin stdout stderr
"""
_HERE = """
has adding removing smaller larger divided left_over divided_by left_over_by
violated seen failed stop told k last box letter size at TELL DEADLOCK
"""
RESERVED = frozenset((_PROMELA + _C + _PAN + _HERE).split())


class Names:
    """Makes unique names: a number is added to a name that is taken or reserved."""

    def __init__(self) -> None:
        self._taken: frozenset[str] = frozenset()

    def unique(self, wanted: str) -> str:
        """A name like the wanted one that nothing else has."""
        return self._free(wanted, RESERVED | self._taken)

    def parameter(self, wanted: str) -> str:
        """A name for a parameter of an inline; Promela replaces it wherever it stands, be it the name of a variable."""
        return self.unique(f"this_{wanted}" if wanted in RESERVED | self._taken else wanted)

    def word(self, wanted: str) -> str:
        """A name for the field of a record, which may have the name of a variable but not of a macro."""
        return self._free(wanted, RESERVED)

    def _free(self, wanted: str, taken: frozenset[str]) -> str:
        word = re.sub(r"\W+", "_", wanted, flags=re.ASCII).strip("_") or "x"
        if word[0].isdigit():
            word = f"_{word}"
        name, number = word, 1
        while name in taken:
            number += 1
            name = f"{word}_{number}"
        self._taken |= {name}
        return name


def comment(text: str) -> str:
    """A comment of one line."""
    return f"/* {' '.join(text.split()).replace('*/', '* /')} */"
