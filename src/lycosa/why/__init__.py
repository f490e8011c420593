"""Why a URL was taken, refused, left waiting or never seen."""

from lycosa.why.explanation import Explanation, explanation_text
from lycosa.why.finding import SEEN, explain, opened_by

__all__ = ["SEEN", "Explanation", "explain", "explanation_text", "opened_by"]
