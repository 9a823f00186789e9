# rule: class-keyword
# success: none
def metaclass(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        How often.
    """
    class Thing(metaclass=print):
        """A thing."""
    print(Thing)
    return times
