import asyncio

from reachy_mini import ReachyMini
from reachy_mini.utils import create_head_pose

GESTURES = {
    "yes": [{"pitch": 12}, {"pitch": -8}],
    "no": [{"yaw": 15}, {"yaw": -15}],
    "maybe": [{"roll": 12}, {"roll": -12}],
}


async def queue_of_gestures(robot: ReachyMini, gestures: list[str] = ["yes", "no", "maybe"]) -> int:
    """Work through a queue of gestures.

    Args:
        gestures: Their names.

    Returns:
        How many were shown.
    """
    queue: asyncio.Queue[str | None] = asyncio.Queue()
    shown = 0

    async def produce() -> None:
        for gesture in gestures:
            await queue.put(gesture)
        await queue.put(None)

    async def consume() -> None:
        nonlocal shown
        while (gesture := await queue.get()) is not None:
            for pose in GESTURES.get(gesture, []):
                robot.goto_target(create_head_pose(**pose), duration=0.3)
            robot.goto_target(create_head_pose(), duration=0.3)
            shown += 1

    await asyncio.gather(produce(), consume())
    return shown
