"""The machine-readable reports of all verbs. A verb makes test cases, from which each format is written.

Not here: the text for people, which each verb writes itself.
"""

from genstamp.report.case import Case, Outcome, Place, Rule, Stage
from genstamp.report.form import Format, document
from genstamp.report.verdict import Verdict, verdict

__all__ = ["Case", "Format", "Outcome", "Place", "Rule", "Stage", "Verdict", "document", "verdict"]
