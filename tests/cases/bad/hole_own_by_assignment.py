# rule: interpreter-attribute
import asyncio


def hole_own_by_assignment(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        How often.
    """
    async def wait() -> None:
        await asyncio.sleep(0)

    class Step(asyncio.Task):
        """A step."""

        def look(self) -> object:
            """Look inside."""
            if times > 10:
                self.get_coro = wait
            return self.get_coro()

    print(Step)
    return times
