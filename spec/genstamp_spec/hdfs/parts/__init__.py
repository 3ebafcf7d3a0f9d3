"""Parts: the variables and steps of one actor each, from which systems are made."""
