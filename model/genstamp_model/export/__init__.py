"""A model in the languages of other checkers, with its quantifiers, names and comments kept."""
