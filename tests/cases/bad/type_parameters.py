# rule: newer-syntax
# success: none
def type_parameters(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        How often.
    """
    def same[T](x: T) -> T:
        return x
    print(same)
    return times
