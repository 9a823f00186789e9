# rule: endless-recursion
def lint_recursion(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        How often.
    """
    def down(x: int) -> int:
        y = x - 1
        return down(y)

    times = down(times)
    return times
