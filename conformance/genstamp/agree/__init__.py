"""Whether independent checkers give the same answer: our own search, TLC and Spin on one configuration."""
