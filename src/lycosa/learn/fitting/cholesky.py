"""Linear equations of a positive definite kernel, solved with the diagonal of its inverse for leave-one-out predictions."""

from __future__ import annotations

import numpy as np

from lycosa.values import Floats


def solved(kernel: Floats, target: Floats) -> tuple[Floats, Floats]:
    """C y, and the diagonal of C, for C = K⁻¹ of a kernel that is positive definite: by the inverse of its Cholesky factor.

    Only the diagonal of the kernel and what is below is read; the memory of the whole is used again.

        K = L Lᵀ,  C = L⁻ᵀ L⁻¹,  C_ii = the sum of squares of column i of L⁻¹

    >>> [part.round(3).tolist() for part in solved(np.array([[2.0, 1.0], [1.0, 2.0]]), np.array([1.0, 0.0]))]
    [[0.667, -0.333], [0.667, 0.667]]
    """
    from scipy.linalg.lapack import dpotrf, dtrtri

    # LAPACK wants columns one after another. Our rows are those of the transpose, and what is below is above there.
    factor, _ = dpotrf(kernel.T, lower=False, overwrite_a=True, clean=True)
    inverse = dtrtri(factor, lower=False, overwrite_c=True)[0].T
    return inverse.T @ (inverse @ target), np.einsum("ij,ij->j", inverse, inverse)
