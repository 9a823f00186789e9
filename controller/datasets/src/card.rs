//! The dataset's `README.md`, which explains its values to people and on the Hub.

use crate::meta::CAMERA;
use crate::plan::Plan;

/// Writes the card. From the traces it contains only the names of motors, which are plain words.
pub fn card(plan: &Plan) -> String {
    let report = plan.report();
    let fps = plan.options.fps;
    let motors: Vec<String> = plan.motors.iter().map(|name| format!("`{name}`")).collect();
    let camera = plan.size.map_or_else(String::new, |(width, height)| {
        format!(
            "- `{CAMERA}`: the latest camera image until then, {width} x {height} pixels; before the first \
             image, the first.\n"
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

# Contents of this dataset

{} episodes, {} rows, {fps} rows per second, in the layout of LeRobot's datasets, version 2.1. Written by Minismith.

- `observation.state`: the position of each motor in **radians**.
- `action`: the goal position of each motor at that moment in **radians**: absolute, as the controller sent it, after
  clamping.
{camera}- `timestamp`: seconds since the episode's first control cycle.

Row *k* is *k* / {fps} s after the first control cycle of its episode and contains the latest cycle until then.

The motors, in the order of both lists: {}.
",
        report.episodes,
        report.frames,
        motors.join(", "),
    )
}
