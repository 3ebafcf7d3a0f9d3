"""What a committer reads of a system: each call as one numbered text, made from the traced model."""
