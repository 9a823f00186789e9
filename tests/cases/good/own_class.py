class Counter:
    """Counts."""

    __slots__ = ("_count", "limit")

    def __init__(self, limit: int) -> None:
        self._count = 0
        self.limit = limit

    def __enter__(self) -> "Counter":
        return self

    def __exit__(self, *details: object) -> None:
        self._reset()

    def __len__(self) -> int:
        return self._count

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._count})"

    def _reset(self) -> None:
        self._count = 0

    def count(self) -> None:
        """Count one."""
        self._count += 1


def own_class(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        How often.
    """
    counter = Counter(times)
    with counter as same:
        same.count()
    print(f"{counter!r} {len(counter):>{times}}")
    return times
