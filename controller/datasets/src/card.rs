//! The dataset's `README.md`: what its numbers mean, for people and for the Hub.

use crate::meta::CAMERA;
use crate::plan::Plan;

/// The card. Of what traces tell, it repeats the motors' names alone, which are plain words.
pub fn card(plan: &Plan) -> String {
    let report = plan.report();
    let fps = plan.options.fps;
    let motors: Vec<String> = plan.motors.iter().map(|name| format!("`{name}`")).collect();
    let camera = plan.size.map_or_else(String::new, |(width, height)| {
        format!(
            "- `{CAMERA}`: the newest picture of the camera until then, {width} x {height} pixels; before the first \
             picture, the first.\n"
        )
    });
    format!(
        "\
---
tags:
- LeRobot
task_categories:
- robotics
configs:
- config_name: default
  data_files: data/*/*.parquet
---

# What this dataset holds

{} episodes, {} rows, {fps} rows a second, in the layout of LeRobot's datasets, version 2.1. Written by Minismith.

- `observation.state`: where each motor was, **radians**.
- `action`: where each motor was told to be at that moment, **radians**: absolute goals, as the controller sent them, after
  its limits.
{camera}- `timestamp`: seconds since the episode's first beat.

Row *k* lies *k* / {fps} s after the first beat of its episode and holds the newest beat until then.

The motors, in the order of both lists: {}.
",
        report.episodes,
        report.frames,
        motors.join(", "),
    )
}
