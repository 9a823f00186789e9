# rule: class-by-type
# success: none
def type_as_base(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        How often.
    """
    class Meta(type):
        """A metaclass."""
    print(Meta)
    return times
