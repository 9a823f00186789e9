from reachy_mini import ReachyMini


def handled_errors(robot: ReachyMini, times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        How often.
    """
    try:
        robot.look_at_world(0.5, 0.0, 0.1)
    except (ValueError, RuntimeError) as error:
        print(type(error).__name__, error)
    else:
        print("done")
    finally:
        robot.goto_sleep()
    return times
