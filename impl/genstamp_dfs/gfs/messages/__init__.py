"""What the nodes of GFS say to each other: each message once, for simulations and for real processes."""
