# layer: rehearsal
# class: memory_dos
# success: runs for ever
def print_in_a_loop(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        What came of it.
    """
    for number in range(100_000 * times):
        print("motion", number, "x" * 200)
    return times
