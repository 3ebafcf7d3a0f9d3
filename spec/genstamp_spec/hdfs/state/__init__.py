"""What the actors share: the variables of the state, and views of them in the grain of a system."""
