import asyncio
import math

from reachy_mini import ReachyMini
from reachy_mini.utils import create_head_pose


async def together(robot: ReachyMini, seconds: float = 2.0) -> dict[str, int]:
    """Nod and wave the antennas at the same time.

    Args:
        seconds: How long.

    Returns:
        How many steps each part took.
    """
    counts = {"head": 0, "antennas": 0}
    loop = asyncio.get_event_loop()
    end = loop.time() + seconds

    async def nod():
        while loop.time() < end:
            robot.set_target_head_pose(create_head_pose(pitch=8 * math.sin(3 * loop.time())))
            counts["head"] += 1
            await asyncio.sleep(0.02)

    async def wave():
        while loop.time() < end:
            a = 0.4 * math.sin(5 * loop.time())
            robot.set_target_antenna_joint_positions([a, -a])
            counts["antennas"] += 1
            await asyncio.sleep(0.03)

    await asyncio.gather(nod(), wave())
    return counts
