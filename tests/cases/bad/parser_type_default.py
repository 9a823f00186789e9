# rule: newer-syntax
def parser_type_default(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        How often.
    """
    type Pair[T = int] = tuple[T, T]
    print(Pair)
    return times
