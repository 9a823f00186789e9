def plain_formats(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        How often.
    """
    print("{} of {total:.1f}".format(times, total=2.0), "%d times" % times, format(times, "03d"))
    return times
