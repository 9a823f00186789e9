//! LeRobot's metadata: the JSON documents in the folder `meta`, version 2.1.

use serde_json::{Map, Value, json};

use crate::EncodedVideo;
use crate::plan::Plan;

/// Name of the camera's column.
pub const CAMERA: &str = "observation.images.head";

/// Episodes per folder.
pub const CHUNK: usize = 1000;

/// Returns the path of an episode's table in the dataset.
pub fn table(episode: usize) -> String {
    format!("data/chunk-{:03}/episode_{episode:06}.parquet", episode / CHUNK)
}

/// Returns the path of an episode's video in the dataset.
pub fn video(episode: usize) -> String {
    format!("videos/chunk-{:03}/{CAMERA}/episode_{episode:06}.mp4", episode / CHUNK)
}

/// Returns `info.json`, which describes the dataset. `encoded` is required for a dataset with videos.
pub fn info(plan: &Plan, encoded: Option<&EncodedVideo>) -> Value {
    let report = plan.report();
    let videos = "videos/chunk-{episode_chunk:03d}/{video_key}/episode_{episode_index:06d}.mp4";
    json!({
        "codebase_version": "v2.1",
        "robot_type": plan.options.robot,
        "total_episodes": report.episodes,
        "total_frames": report.frames,
        "total_tasks": report.tasks.len(),
        "total_videos": report.videos,
        "total_chunks": report.episodes.div_ceil(CHUNK),
        "chunks_size": CHUNK,
        "fps": plan.options.fps,
        "splits": { "train": format!("0:{}", report.episodes) },
        "data_path": "data/chunk-{episode_chunk:03d}/episode_{episode_index:06d}.parquet",
        "video_path": plan.size.map(|_| videos),
        "features": features(plan, encoded),
    })
}

fn features(plan: &Plan, encoded: Option<&EncodedVideo>) -> Map<String, Value> {
    let angles = json!({ "dtype": "float32", "shape": [plan.motors.len()], "names": plan.motors });
    let mut features = Map::new();
    features.insert("action".into(), angles.clone());
    features.insert("observation.state".into(), angles);
    if let (Some((width, height)), Some(EncodedVideo { codec, pixels })) = (plan.size, encoded) {
        let info = json!({
            "video.height": height,
            "video.width": width,
            "video.codec": codec,
            "video.pix_fmt": pixels,
            "video.is_depth_map": false,
            "video.fps": plan.options.fps,
            "video.channels": 3,
            "has_audio": false,
        });
        let names = ["height", "width", "channels"];
        let feature = json!({ "dtype": "video", "shape": [height, width, 3], "names": names, "info": info });
        features.insert(CAMERA.into(), feature);
    }
    for (name, kind) in [
        ("timestamp", "float32"),
        ("frame_index", "int64"),
        ("episode_index", "int64"),
        ("index", "int64"),
        ("task_index", "int64"),
    ] {
        features.insert(name.into(), json!({ "dtype": kind, "shape": [1], "names": null }));
    }
    features
}

/// Returns `episodes.jsonl`: task and number of rows of each episode.
pub fn episodes(plan: &Plan) -> String {
    let one = |(number, episode): (usize, &crate::episode::Episode)| json!({ "episode_index": number, "tasks": [episode.task], "length": episode.rows.count });
    lines(plan.episodes.iter().enumerate().map(one))
}

/// Returns `tasks.jsonl`: all tasks.
pub fn tasks(plan: &Plan) -> String {
    lines(plan.tasks.iter().enumerate().map(|(number, task)| json!({ "task_index": number, "task": task })))
}

/// Returns `episodes_stats.jsonl`: the statistics of each episode.
pub fn statistics(episodes: Vec<Map<String, Value>>) -> String {
    lines(
        episodes
            .into_iter()
            .enumerate()
            .map(|(number, stats)| json!({ "episode_index": number, "stats": stats })),
    )
}

fn lines(documents: impl Iterator<Item = Value>) -> String {
    documents.map(|document| format!("{document}\n")).collect()
}
