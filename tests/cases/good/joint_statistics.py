import statistics
import time
from typing import TypedDict

from reachy_mini import ReachyMini


class JointSummary(TypedDict):
    name: str
    mean: float
    spread: float


def joint_statistics(robot: ReachyMini, samples: int = 10, interval: float = 0.05) -> list[JointSummary]:
    """Measure how still the joints are.

    Args:
        samples: How many readings.
        interval: Seconds between two readings.

    Returns:
        Mean and standard deviation of each joint, in radians.
    """
    names = ["body"] + [f"leg_{i}" for i in range(1, 7)] + ["right_antenna", "left_antenna"]
    columns: dict[str, list[float]] = {name: [] for name in names}
    for _ in range(samples):
        head, antennas = robot.get_current_joint_positions()
        for name, value in zip(names, [*head, *antennas], strict=True):
            columns[name].append(value)
        time.sleep(interval)
    return [
        JointSummary(name=name, mean=statistics.fmean(values), spread=statistics.pstdev(values))
        for name, values in columns.items()
    ]
