"""Why a URL was taken, refused, left waiting or never seen."""

from lycosa.why.explain import SEEN, explain, opened_by
from lycosa.why.explanation import Explanation, explanation_text

__all__ = ["SEEN", "Explanation", "explain", "explanation_text", "opened_by"]
