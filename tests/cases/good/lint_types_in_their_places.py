import math
from dataclasses import dataclass, field
from enum import Enum, IntEnum, StrEnum, auto
from functools import cached_property
from typing import Annotated, Optional, TypedDict, cast

import numpy as np
from numpy.typing import NDArray

from reachy_mini import ReachyMini
from reachy_mini.utils import create_head_pose

Pose = np.ndarray
Poses = list[np.ndarray]
TILT_DEG = 12.0


class Side(Enum):
    """Which antenna."""

    RIGHT = "right"
    LEFT = "left"


class Speed(IntEnum):
    """How fast."""

    SLOW = auto()
    FAST = -2


class Word(StrEnum):
    """What is said."""

    YES = "yes"


class Sample(TypedDict):
    """One reading."""

    pose: Pose
    tilt_deg: float


@dataclass(frozen=True)
class Step:
    """One step."""

    name: str = "step"
    angles_deg: list[float] = field(default_factory=list)
    pose: Optional[np.ndarray] = field(default=None, repr=False)

    @cached_property
    def size(self) -> int:
        """How many angles."""
        return len(self.angles_deg)


def _pose_of(value: np.ndarray | None, other: Annotated[NDArray[np.float64], "4x4"]) -> Pose:
    if isinstance(value, np.ndarray) or type(other) is np.ndarray:
        return cast(np.ndarray, other)
    match other:
        case np.ndarray():
            return other
    return np.eye(4)


def lint_types_in_their_places(robot: ReachyMini, tilt: float = 10.0, seconds: float = 1.0) -> str:
    """Tilt the head and turn the body.

    Args:
        tilt: How far, in degrees, between -20 and 20.
        seconds: How long, between 0.5 and 5.

    Returns:
        What was done.
    """
    step = Step(angles_deg=[tilt, TILT_DEG])
    poses: Poses = [_pose_of(None, np.eye(4))]
    for angle_deg in step.angles_deg:
        robot.goto_target(head=create_head_pose(roll=angle_deg, z=4, mm=True), duration=seconds, body_yaw=math.radians(angle_deg))
        sample: Sample = {"pose": poses[0], "tilt_deg": angle_deg}
        if sample["tilt_deg"] > 100:
            raise ValueError(f"{sample['tilt_deg']} is too far")
    side = Side("right")
    antenna = np.deg2rad(TILT_DEG / 2)
    robot.set_target(antennas=[antenna, -antenna])
    return f"{side.name} {Speed.SLOW} {Word.YES} {step.size}"
