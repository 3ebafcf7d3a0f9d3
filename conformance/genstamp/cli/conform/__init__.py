"""The verb `conform`: checks an implementation against a system."""
