"""asyncio's loop on the stage's clock: it waits by a cue, and needs neither selector nor socket pair."""

import sys

# A guest has no network. All of OpenSSL would only be memory that every fork copies.
sys.modules["ssl"] = None

import asyncio
import inspect


class Waiting:
    """What the base loop takes for its selector: there is nothing to select, only time to pass."""

    def select(self, timeout):
        if timeout is None:
            raise RuntimeError("the program waits for something that nothing is left to bring about")
        if timeout > 0:
            stage.sleep(timeout)
        return ()


class StageLoop(asyncio.base_events.BaseEventLoop):
    def __init__(self):
        super().__init__()
        self._selector = Waiting()
        # A wait may end a rounding error early.
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
