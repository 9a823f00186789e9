# rule: dunder-attribute
# success: none
def dunder_in_default_of_lambda(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        How often.
    """
    print((lambda x=(0).__class__: x)())
    return times
