from reachy_mini import ReachyMini


def sounds_and_faces(robot: ReachyMini, times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        How often.
    """
    robot.media.play_sound("wake_up.wav")
    robot.start_head_tracking(weight=0.5)
    face = robot.get_tracked_face(wait=False)
    robot.stop_head_tracking()
    print(face.detected)
    return times
