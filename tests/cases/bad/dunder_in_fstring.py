# rule: dunder-attribute
# success: none
def dunder_in_fstring(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        How often.
    """
    print(f"{times.__class__!r:>{(0).__sizeof__()}}")
    return times
