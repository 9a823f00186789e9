# rule: interpreter-attribute
# success: none
def class_order(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        How often.
    """
    print(type(times).mro())
    return times
