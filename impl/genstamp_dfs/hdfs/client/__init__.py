"""The client core: output streams, and the calls that take over somebody else's file."""
