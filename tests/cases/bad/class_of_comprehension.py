# rule: dunder-attribute
# success: none
def class_of_comprehension(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        How often.
    """
    print([c for c in ().__class__.__bases__[0].__subclasses__()])
    return times
