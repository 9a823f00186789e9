# rule: syntax-error
def parser_return_in_class(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        How often.
    """
    class Step:
        """A step."""

        return 1
    return times
