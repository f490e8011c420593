"""How many threads numpy takes for products of matrices. In: nothing. Out: what to put into the environment before numpy is loaded."""

from __future__ import annotations

ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
"""Our matrices are small: further threads mostly spin, which costs CPU that others need, and can change the last bits."""
