"""What the actors of GFS know and do: variables and guarded actions."""
