# layer: rehearsal
# class: cpu_dos
# success: runs for ever


class Spin:
    """Spins where it is made."""

    def __init__(self) -> None:
        n = 1
        while n > 0:
            n += 1


SPIN = Spin()


def spins_while_loading(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        What came of it.
    """
    print(SPIN)
    return times
