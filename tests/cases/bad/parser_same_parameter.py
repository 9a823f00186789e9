# rule: syntax-error
def parser_same_parameter(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        How often.
    """
    def add(x: int, x: int) -> int:
        return x

    print(add)
    return times
