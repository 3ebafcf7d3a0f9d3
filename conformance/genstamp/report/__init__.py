"""What every verb reports to machines in the same forms. A verb makes its cases once; each form is made from those.

Leaves out the text for people, which every verb words itself, and what is judged.
"""

from genstamp.report.case import Case, Outcome, Place, Rule, Stage
from genstamp.report.form import Format, document
from genstamp.report.verdict import Verdict, verdict

__all__ = ["Case", "Format", "Outcome", "Place", "Rule", "Stage", "Verdict", "document", "verdict"]
