# rule: busy-loop
def lint_not_false(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        How often.
    """
    while not False:
        times += 1
    return times
