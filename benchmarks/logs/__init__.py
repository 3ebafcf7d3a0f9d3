"""The check of logs on generated logs of any length, whose violations are known."""
