# rule: format-string
# success: none
def format_map_item(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        How often.
    """
    print("{times[0]}".format_map({"times": [1]}))
    return times
