# layer: rehearsal
# class: cpu_dos
# success: runs for ever


class Twin:
    """Compares for ever."""

    def __eq__(self, other: object) -> bool:
        n = 1
        while n:
            n += 1
        return True


def equality_for_ever(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        What came of it.
    """
    return [Twin()].index(Twin())
