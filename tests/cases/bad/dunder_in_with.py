# rule: dunder-attribute
# success: none
def dunder_in_with(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        How often.
    """
    with open_nothing().__enter__() as thing:
        print(thing)
    return times
