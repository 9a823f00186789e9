# layer: rehearsal
# class: cpu_dos
# success: runs for ever
def digits_of_a_power(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        What came of it.
    """
    base = 7 * times
    for _ in range(30):
        base *= base
    return len(str(base % 10))
