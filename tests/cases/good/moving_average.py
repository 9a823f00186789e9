from collections import deque
from collections.abc import Generator


def _smoother(window: int) -> Generator[float, float, None]:
    values: deque[float] = deque(maxlen=window)
    average = 0.0
    while True:
        value = yield average
        values.append(value)
        average = sum(values) / len(values)


def moving_average(values: list[float] = [1.0, 2.0, 4.0, 8.0], window: int = 2) -> list[float]:
    """Smooth values with a moving average.

    Args:
        values: What to smooth.
        window: Over how many.

    Returns:
        As many smoothed values.
    """
    smoother = _smoother(window)
    next(smoother)
    return [smoother.send(value) for value in values]
