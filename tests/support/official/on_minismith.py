"""A plugin for pytest: runs tests of the official package (github.com/pollen-robotics/reachy_mini, tests/unit_tests) with
Minismith where they start the official daemon's server. The tests stay as they are.

usage: MINISMITH=path/to/minismith python -m pytest -p on_minismith CHECKOUT/tests/unit_tests/test_daemon.py
"""

import asyncio
import json
import os
import subprocess
import tempfile
import threading
import urllib.request

import pytest

# Tests that look at the inside of the official program, with the reason.
NOT_OURS = {
    "test_sdk_warns_on_daemon_version_mismatch": "sets a field inside the official daemon",
    "test_daemon_client_disconnection": "wants the MuJoCo simulation; ours is told as the mock-up",
    "test_cors_origin_regex": "tests a pattern inside the official daemon",
}


class Server:
    """A controller in a process of its own, in the place of the official one."""

    def __init__(self, robot_name: str) -> None:
        self.folder = tempfile.TemporaryDirectory()
        environment = os.environ | {
            "XDG_DATA_HOME": self.folder.name,
            "XDG_CONFIG_HOME": self.folder.name,
        }
        command = [os.environ["MINISMITH"], "serve", "--robot", "mock", "--port", "0", "--json"]
        self.process = subprocess.Popen(
            command, cwd=self.folder.name, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        self.port = int(json.loads(self.process.stdout.readline())["listening"].rsplit(":", 1)[1])
        self.ask("/api/daemon/robot-name", json.dumps({"name": robot_name}))

    def ask(self, path: str, body: str = "") -> None:
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.port}{path}",
            data=body.encode(),
            headers={"Content-Type": "application/json"},
            method="POST",
        )
        urllib.request.urlopen(request, timeout=10).read()

    async def stop(self, goto_sleep_on_stop: bool = True) -> None:
        """What the official daemon's object is asked for."""
        sleep = str(goto_sleep_on_stop).lower()
        await asyncio.to_thread(self.ask, f"/api/daemon/stop?goto_sleep={sleep}")

    def end(self) -> None:
        self.process.terminate()
        self.process.wait(timeout=20)
        self.folder.cleanup()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for module in {item.module for item in items if hasattr(item.module, "_start_app_server")}:

        async def start(robot_name: str = "reachy_mini") -> tuple:
            server = await asyncio.to_thread(Server, robot_name)
            return server, server, threading.Thread(), server.port

        async def stop(server: Server, _thread: threading.Thread) -> None:
            await asyncio.to_thread(server.end)

        module._start_app_server = start
        module._stop_app_server = stop
    for item in items:
        if reason := NOT_OURS.get(item.name):
            item.add_marker(pytest.mark.skip(reason=reason))
