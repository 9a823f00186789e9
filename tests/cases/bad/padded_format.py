# layer: rehearsal
# class: memory_dos
# success: runs for ever
def padded_format(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        What came of it.
    """
    width = 10**9 * times
    return len(f"{times:>{width}}")
