"""How we know: a small language for guarded actions (`language`) and its judges.

Knows no protocol; those are in `genstamp_spec`.
"""
