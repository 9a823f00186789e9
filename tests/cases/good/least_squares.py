import numpy as np


def least_squares(
    x: list[float] = [0.0, 1.0, 2.0, 3.0], y: list[float] = [0.1, 0.9, 2.2, 2.9], degree: int = 1
) -> dict[str, list[float] | float]:
    """Fit a polynomial.

    Args:
        x: Places.
        y: Values, as many.
        degree: Degree of the polynomial, between 0 and 5.

    Returns:
        The coefficients, highest first, and the root mean square error.
    """
    xs, ys = np.array(x, dtype=float), np.array(y, dtype=float)
    if xs.shape != ys.shape or len(xs) <= degree:
        raise ValueError("x and y need the same length, which is greater than the degree")
    basis = np.vander(xs, degree + 1)
    coefficients, *_ = np.linalg.lstsq(basis, ys, rcond=None)
    residual = ys - basis @ coefficients
    return {"coefficients": coefficients.tolist(), "rms": float(np.sqrt(np.mean(residual**2)))}
