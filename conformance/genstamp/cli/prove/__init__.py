"""The verb `prove`: proves properties that are declared inductive."""
