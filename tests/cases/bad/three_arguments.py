# rule: class-by-type
# success: none
def three_arguments(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        How often.
    """
    print(type("Thing", (), {"__del__": print}))
    return times
