"""Opens a recording without a window, as Rerun's own Python kit does, and prints what it holds as one JSON document.

usage: read_rrd.py RECORDING; rerun-sdk reads it (requirements/clients.txt).
"""

import json
import math
import pathlib
import sys

from rerun.experimental import RrdReader


def plain(value):
    """What JSON can tell; of a picture its size and its first bytes."""
    if isinstance(value, (bytes, bytearray)):
        return {"bytes": len(value), "begins": bytes(value[:4]).hex()}
    if isinstance(value, list):
        if len(value) > 64 and all(isinstance(item, int) for item in value[:64]):
            return {"bytes": len(value), "begins": bytes(value[:4]).hex()}
        return [plain(item) for item in value]
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value if isinstance(value, (int, float, str, bool, type(None))) else str(value)


def main():
    path = pathlib.Path(sys.argv[1])
    reader = RrdReader(path)
    entities = {}
    for chunk in reader.stream():
        batch = chunk.to_record_batch()
        entity = entities.setdefault(chunk.entity_path, {"rows": 0, "static": 0, "first": {}, "last": {}, "timelines": []})
        entity["static" if chunk.is_static else "rows"] += chunk.num_rows
        entity["timelines"] = sorted({*entity["timelines"], *chunk.timeline_names})
        beats = batch.column("beat").to_pylist() if "beat" in batch.schema.names else None
        for name in batch.schema.names:
            column = batch.column(name).to_pylist()
            told = [(place, value) for place, value in enumerate(column) if value is not None]
            if not told or name.startswith("rerun.controls"):
                continue
            (first, oldest), (last, newest) = told[0], told[-1]
            if beats is None:
                entity["last"][name] = [None, plain(newest)]
                continue
            if name not in entity["first"] or beats[first] < entity["first"][name][0]:
                entity["first"][name] = [beats[first], plain(oldest)]
            if name not in entity["last"] or entity["last"][name][0] is None or beats[last] >= entity["last"][name][0]:
                entity["last"][name] = [beats[last], plain(newest)]
    recordings = reader.recordings()
    print(
        json.dumps(
            {
                "recordings": [entry.application_id for entry in recordings],
                "blueprints": len(reader.blueprints()),
                "entities": entities,
            }
        )
    )


main()
