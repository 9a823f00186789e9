import asyncio

from reachy_mini import ReachyMini


def _counted(left: int) -> int:
    if left <= 0:
        return 0
    return 1 + _counted(left - 1)


async def lint_failures_told(robot: ReachyMini, times: int = 2) -> dict[str, str]:
    """Look somewhere, and say what became of it.

    Args:
        times: How often, between 1 and 10.

    Returns:
        What became of it.
    """
    done = asyncio.Event()

    async def look() -> str:
        for _ in range(_counted(times)):
            try:
                robot.set_target(body_yaw=0.1)
            except ValueError as error:
                return f"failed: {error}"
            except Exception:
                return "could not turn"
            await asyncio.sleep(0.02)
        done.set()
        return "success"

    task = asyncio.create_task(look())
    while not done.is_set() and not task.done():
        await asyncio.sleep(0.01)
    try:
        status = await asyncio.wait_for(task, timeout=5.0)
    except asyncio.TimeoutError:
        return {"status": "failed", "why": "it took too long"}
    return {"status": status}
