"""How many threads numpy takes for products of matrices, and what memory. In: nothing. Out: what to put into the environment
before numpy is loaded."""

from __future__ import annotations

ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
"""Our matrices are small: further threads mostly spin, which costs CPU that others need, and can change the last bits."""
SMALL_PAGES = {"NUMPY_MADVISE_HUGEPAGE": "0"}
"""Numpy asks Linux for pages of 2 MB for its larger arrays. Ours live for a moment: clearing these took a quarter of a fit."""
