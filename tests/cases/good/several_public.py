def helper(x: float) -> float:
    """Halve."""
    return x / 2


def several_public(x: float = 1.0) -> float:
    """Halve twice.

    Args:
        x: A number, at least 0.
    """
    return helper(helper(x))
