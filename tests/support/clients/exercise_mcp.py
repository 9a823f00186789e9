"""Drives a server with the official client of the Model Context Protocol, and prints what came of it as one JSON object.

usage: exercise_mcp.py MODE TOOL (URL | COMMAND [ARGUMENT ...])

MODE is legacy (sessions) or auto (the protocol without, where the server speaks it), or leave: then a dance is begun and
this program goes away without a word. TOOL is the name of the tool that it makes.
"""

import asyncio
import base64
import contextlib
import json
import logging
import os
import sys

import mcp_types as types
from mcp import Client, MCPError, StdioServerParameters

logging.disable(logging.ERROR)

GOOD = '''from reachy_mini import ReachyMini
from reachy_mini.utils import create_head_pose


def NAME(robot: ReachyMini, degrees: float = 10.0) -> str:
    """Glance to the left and back.

    Args:
        robot: The robot.
        degrees: How far, between 5 and 20.

    Returns:
        What was done.
    """
    robot.goto_target(head=create_head_pose(yaw=degrees), duration=0.8, body_yaw=None)
    robot.goto_target(head=create_head_pose(), duration=0.8, body_yaw=None)
    return f"glanced {degrees:g}"
'''
BAD = '''import os


def take_over() -> str:
    """List a folder.

    Returns:
        What is in it.
    """
    return str(os.listdir("/"))
'''


def told(result):
    return {
        "is_error": result.is_error,
        "text": "\n".join(part.text for part in result.content if part.type == "text"),
        "structured": result.structured_content,
    }


async def until(client, doing):
    """Waits until the robot does this."""
    for _ in range(400):
        state = (await client.call_tool("report_state")).structured_content
        if state["doing"] == doing:
            return state
        await asyncio.sleep(0.025)
    raise RuntimeError(f"the robot never was {doing}")


async def error(action):
    try:
        await action
    except MCPError as no:
        return {"code": no.error.code, "message": no.error.message}
    return None


async def exercise(client, name, changes):
    seen = {
        "protocol": client.protocol_version,
        "server": client.server_info.name if client.server_info else None,
        "instructions": client.instructions,
    }
    listed = (await client.list_tools()).tools
    seen["tools"] = {tool.name: tool.model_dump(by_alias=True, exclude_none=True) for tool in listed}
    call = client.call_tool
    seen["before"] = told(await call("report_state"))
    seen["look"] = told(await call("look", {"direction": "left", "degrees": 20}))
    seen["after"] = told(await call("report_state"))
    seen["too_far"] = told(await call("look", {"direction": "up", "degrees": 55}))
    seen["sideways"] = told(await call("look", {"direction": "sideways"}))
    seen["unknown"] = await error(call("levitate"))
    picture = await call("take_picture")
    seen["picture"] = {
        "mime": picture.content[0].mime_type,
        "begins": base64.b64decode(picture.content[0].data)[:3].hex(),
        **told(picture),
    }
    heard = []

    async def hear(progress, total, message):
        heard.append(message)

    seen["say"] = told(await call("say", {"text": "look right 10 degrees, then look ahead"}, progress_callback=hear))
    seen["progress"] = heard

    dance = asyncio.create_task(call("dance", {"seconds": 30}))
    await until(client, "playing")
    seen["stop"] = told(await call("stop"))
    seen["dance"] = told(await dance)

    dance = asyncio.create_task(call("dance", {"seconds": 30}))
    await until(client, "playing")
    dance.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await dance
    seen["taken_back"] = (await until(client, "holding"))["doing"]

    seen["bad"] = told(await call("create_tool", {"code": BAD}))
    async with changes() as changed:
        seen["made"] = told(await call("create_tool", {"code": GOOD.replace("NAME", name)}))
        await asyncio.wait_for(changed(), 60)
    listed = (await client.list_tools(cache_mode="refresh")).tools
    seen["new"] = {tool.name: tool.model_dump(by_alias=True, exclude_none=True) for tool in listed}.get(name)
    seen["ran"] = told(await call(name, {"degrees": 15.0}))
    seen["beyond"] = told(await call(name, {"degrees": "far"}))
    return seen


async def main(mode, name, where):
    server = where[0] if where[0].startswith("http") else StdioServerParameters(command=where[0], args=where[1:])
    notified = asyncio.Event()

    async def hear(message):
        if isinstance(message, types.ToolListChangedNotification):
            notified.set()

    async with Client(server, mode="legacy" if mode == "legacy" else "auto", message_handler=hear) as client:
        if mode == "leave":
            asyncio.create_task(client.call_tool("dance", {"seconds": 60}))
            await until(client, "playing")
            print("{}", flush=True)
            os._exit(0)

        @contextlib.asynccontextmanager
        async def changes():
            if mode == "legacy":
                yield notified.wait
            else:
                async with client.listen(tools_list_changed=True) as subscription:
                    yield subscription.__anext__

        print(json.dumps(await exercise(client, name, changes)))


asyncio.run(main(sys.argv[1], sys.argv[2], sys.argv[3:]))
