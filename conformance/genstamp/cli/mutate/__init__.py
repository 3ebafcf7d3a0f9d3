"""The verb `mutate`: whether the specification notices each change of what it does."""
