"""Drives a server with OpenAI's official client, and prints what came of it as one JSON object.

usage: exercise_openai.py URL [FILE], where FILE is a table that a question is asked about
"""

import base64
import json
import sys
import time
import urllib.request

import openai

url = sys.argv[1]
client = openai.OpenAI(base_url=f"{url}/v1", api_key="none", max_retries=0)


def state():
    with urllib.request.urlopen(f"{url}/api/v1/state") as answer:
        return json.load(answer)


def until(doing):
    for _ in range(400):
        now = state()
        if now["doing"] == doing:
            return now
        time.sleep(0.025)
    raise RuntimeError(f"the robot never was {doing}")


def chat(text, model="minismith", **more):
    answer = client.chat.completions.create(model=model, messages=[{"role": "user", "content": text}], **more)
    return answer.model_dump()


def error(*arguments, **more):
    try:
        chat(*arguments, **more)
    except openai.APIStatusError as no:
        return {"kind": type(no).__name__, "message": no.body["message"], "param": no.param, "code": no.code}
    return None


seen = {"models": [model.id for model in client.models.list()], "model": client.models.retrieve("minismith").id}
try:
    client.models.retrieve("gpt-9")
except openai.NotFoundError as no:
    seen["no_model"] = no.code

seen["whole"] = chat("look left 20 degrees", temperature=0.3, presence_penalty=1.0, stop=["x"])
seen["after"] = state()

# What was said before is not said again.
talk = [
    {"role": "system", "content": "You are a pirate."},
    {"role": "user", "content": "look right 30 degrees"},
    {"role": "assistant", "content": "Done: look right 30 deg."},
    {"role": "user", "content": [{"type": "text", "text": "raise your head 5 mm"}]},
]
seen["talk"] = client.chat.completions.create(model="minismith", messages=talk).model_dump()

stream = client.chat.completions.create(
    model="minismith-react",
    messages=[{"role": "user", "content": "nod twice, then dance for 4 seconds"}],
    stream=True,
    stream_options={"include_usage": True},
)
pieces, meanwhile, last, usage = [], None, None, None
for chunk in stream:
    if chunk.usage:
        usage = chunk.usage.model_dump()
    for choice in chunk.choices:
        if choice.delta.content:
            pieces.append(choice.delta.content)
            # Nothing is left to play when the whole answer has come.
            meanwhile = meanwhile or until("playing")["doing"]
        if choice.finish_reason:
            last = chunk.model_dump()
seen["stream"] = {"pieces": pieces, "meanwhile": meanwhile, "last": last, "usage": usage, "after": state()["doing"]}

with client.chat.completions.create(
    model="minismith", messages=[{"role": "user", "content": "dance for 60 seconds"}], stream=True
) as stream:
    next(iter(stream))
    until("playing")
seen["left"] = until("holding")["doing"]

chat("look left 10 degrees", user="anna@example.org")
seen["further"] = chat("a bit further", user="anna@example.org")
seen["further_for_another"] = chat("a bit further", metadata={"session": "another"})

picture = [{"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}]
seen["wrong"] = {
    "model": error("nod", model="gpt-9"),
    "picture": error(picture),
    "n": error("nod", n=3),
    "tools": error("nod", tools=[{"type": "function", "function": {"name": "f", "parameters": {}}}]),
    "way": error("nod", extra_body={"agent_type": "swarm"}),
    "session": error("nod", metadata={"session": "no name"}),
}

if len(sys.argv) > 2:
    data = base64.b64encode(open(sys.argv[2], "rb").read()).decode()
    file = {"type": "file", "file": {"filename": "data.csv", "file_data": f"data:text/csv;base64,{data}"}}
    question = {"type": "text", "text": "what is the mean of column a?"}
    seen["file"] = chat([question, file])
    broken = {"type": "file", "file": {"filename": "data.csv", "file_data": "data:text/csv,a"}}
    seen["wrong"]["file"] = error([question, broken])

print(json.dumps(seen))
