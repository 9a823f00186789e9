"""Opens a LeRobot dataset as others would and prints what it finds as one JSON document.

usage: read_dataset.py DATASET; pyarrow reads its tables, PyAV its videos (requirements/clients.txt).
"""

import json
import pathlib
import sys

import av
import pyarrow.parquet as parquet


def table(path):
    """Columns with their types, how many rows, and the last of them."""
    read = parquet.read_table(path)
    last = read.slice(read.num_rows - 1).to_pylist()
    return {
        "columns": {field.name: str(field.type) for field in read.schema},
        "rows": read.num_rows,
        "nulls": sum(column.null_count for column in read.columns),
        "last": last[0] if last else None,
    }


def colour(frame):
    """The mean of red, green and blue, 0 to 255."""
    picture = frame.reformat(format="rgb24")
    held, line = bytes(picture.planes[0]), picture.planes[0].line_size
    rows = [held[row * line : row * line + 3 * picture.width] for row in range(picture.height)]
    pixels = picture.width * picture.height
    return [round(sum(sum(row[of::3]) for row in rows) / pixels, 2) for of in range(3)]


def video(path):
    """How it is encoded, how many frames it really has, and when."""
    with av.open(str(path)) as container:
        stream = container.streams.video[0]
        rate = float(stream.average_rate)
        first = last = None
        count, keys, worst = 0, 0, 0.0
        for frame in container.decode(stream):
            first, last = first or frame, frame
            # LeRobot finds a frame by its time, to 0.1 ms.
            worst = max(worst, abs(frame.time - count / rate))
            count, keys = count + 1, keys + frame.key_frame
        return {
            "codec": stream.codec.canonical_name,
            "pix_fmt": stream.pix_fmt,
            "width": stream.width,
            "height": stream.height,
            "fps": rate,
            "frames": count,
            "key_frames": keys,
            "worst_time_s": worst,
            "first_rgb": first and colour(first),
            "last_rgb": last and colour(last),
        }


def lines(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


def main():
    root = pathlib.Path(sys.argv[1])
    info = json.loads((root / "meta/info.json").read_text())
    episodes = lines(root / "meta/episodes.jsonl")
    videos = [key for key, feature in info["features"].items() if feature["dtype"] == "video"]
    found = []
    for episode in episodes:
        number = episode["episode_index"]
        place = {"episode_index": number, "episode_chunk": number // info["chunks_size"]}
        found.append(
            {
                **episode,
                "table": table(root / info["data_path"].format(**place)),
                "videos": {key: video(root / info["video_path"].format(video_key=key, **place)) for key in videos},
            }
        )
    document = {
        "info": info,
        "tasks": lines(root / "meta/tasks.jsonl"),
        "statistics": lines(root / "meta/episodes_stats.jsonl"),
        "episodes": found,
    }
    json.dump(document, sys.stdout, indent=1)


if __name__ == "__main__":
    main()
