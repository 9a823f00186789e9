import asyncio

from reachy_mini import ReachyMini


async def patient_face(robot: ReachyMini, timeout: float = 2.0) -> str:
    """Wait for a face, but not for ever.

    Args:
        timeout: How long to wait, in seconds.

    Returns:
        What was seen.
    """

    async def search() -> str:
        while True:
            face = robot.get_tracked_face(wait=False)
            if face.detected:
                return f"a face at x={face.x:+.2f}, y={face.y:+.2f}"
            await asyncio.sleep(0.1)

    robot.start_head_tracking()
    try:
        return await asyncio.wait_for(search(), timeout)
    except asyncio.TimeoutError:
        return "nobody is here"
    finally:
        robot.stop_head_tracking()
