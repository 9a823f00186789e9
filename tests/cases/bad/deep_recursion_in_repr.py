# layer: rehearsal
# class: memory_dos
# success: runs for ever
def deep_recursion_in_repr(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        What came of it.
    """
    nest: list = []
    for _ in range(100_000 * times):
        nest = [nest]
    return len(str(nest))
