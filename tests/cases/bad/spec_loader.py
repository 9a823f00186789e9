# rule: dunder-name
# success: none
def spec_loader(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        How often.
    """
    print(__spec__.loader)
    return times
