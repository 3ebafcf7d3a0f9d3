"""The verb `logs`: checks logs, edit logs and recorded events."""
