"""What the protocols promise: lifecycles, parts, systems and bugs.

Declarations only: no search, no input or output. What checks them lives in `genstamp_model` and `genstamp`.
"""
