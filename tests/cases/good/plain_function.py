def plain_function(x: int) -> int:
    """Double.

    Args:
        x: A number.
    """
    return 2 * x
