"""asyncio event loop in robot time. It waits with a host call and needs neither a selector nor a socket pair."""

import sys

# A guest has no network, and OpenSSL would only add memory to every fork.
sys.modules["ssl"] = None

import asyncio
import inspect


class Waiting:
    """Selector of the base loop. There is nothing to select, so it only lets time pass."""

    def select(self, timeout):
        if timeout is None:
            raise RuntimeError("deadlock: the program waits for an event that can no longer occur")
        if timeout > 0:
            stage.sleep(timeout)
        return ()


class StageLoop(asyncio.base_events.BaseEventLoop):
    def __init__(self):
        super().__init__()
        self._selector = Waiting()
        # A wait may end early by a rounding error.
        self._clock_resolution = 1e-6

    def time(self):
        return stage.monotonic()

    def _process_events(self, events):
        pass

    def _write_to_self(self):
        pass


class Policy(asyncio.events.BaseDefaultEventLoopPolicy):
    _loop_factory = StageLoop


def install():
    asyncio.set_event_loop_policy(Policy())


def run_if_coroutine(result):
    return asyncio.run(result) if inspect.iscoroutine(result) else result


async def later(function, arguments, options):
    return function(*arguments, **(options or {}))
