import numpy as np
from reachy_mini import ReachyMini


def _rotation_to_euler(matrix: np.ndarray) -> tuple[float, float, float]:
    roll = np.arctan2(matrix[2, 1], matrix[2, 2])
    pitch = np.arcsin(-np.clip(matrix[2, 0], -1.0, 1.0))
    yaw = np.arctan2(matrix[1, 0], matrix[0, 0])
    return tuple(np.degrees([roll, pitch, yaw]).tolist())


def rotation_angles(robot: ReachyMini) -> dict[str, float]:
    """Tell how the head is turned.

    Returns:
        Roll, pitch and yaw in degrees.
    """
    pose = np.asarray(robot.get_current_head_pose())
    assert pose.shape == (4, 4), "a pose is a 4 x 4 matrix"
    names = ("roll", "pitch", "yaw")
    return {name: round(angle, 2) for name, angle in zip(names, _rotation_to_euler(pose[:3, :3]))}
