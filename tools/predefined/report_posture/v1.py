import math

from reachy_mini import ReachyMini


def report_posture(robot: ReachyMini) -> dict[str, float]:
    """Report the measured posture of head, body and antennas, without moving.

    Args:
        robot: The robot.

    Returns:
        Angles in degrees and the height of the head in millimetres. Positive is to the left for the yaw of head and body, down
        for the pitch, to the right for the roll, and away from the head for the antennas.
    """
    pose = robot.get_current_head_pose()
    joints, antennas = robot.get_current_joint_positions()
    posture = {
        "head_yaw": math.degrees(math.atan2(pose[1][0], pose[0][0])),
        "head_pitch": math.degrees(math.asin(max(-1.0, min(1.0, -float(pose[2][0]))))),
        "head_roll": math.degrees(math.atan2(pose[2][1], pose[2][2])),
        "head_height_mm": 1000.0 * float(pose[2][3]),
        "body_yaw": math.degrees(joints[0]),
        "antenna_left": -math.degrees(antennas[1]),
        "antenna_right": math.degrees(antennas[0]),
    }
    return {name: round(value, 1) for name, value in posture.items()}
