"""The verb `check`: searches every reachable state of a system's configurations."""
