# layer: rehearsal
# class: memory_dos
# success: runs for ever
def repeated_text(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        What came of it.
    """
    size = 10**5 * times
    return len("x" * size * size)
