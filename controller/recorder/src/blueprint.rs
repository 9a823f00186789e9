//! Layout of a recording in the viewer: on the left the robot above its camera image, in the middle the curves, on the right
//! the texts.

use re_sdk::blueprint::{
    Blueprint, ContainerLike, Horizontal, SelectionPanel, Spatial2DView, Spatial3DView, StateTimelineView,
    Tabs, TextDocumentView, TextLogView, TimePanel, TimeSeriesView, Vertical,
};
use re_sdk_types::blueprint::components::{PanelState, PlayState};

/// Creates a view of the curves of everything below these entities.
fn curves(name: &str, origins: &[&str]) -> ContainerLike {
    let everything = origins.iter().map(|origin| format!("{origin}/**"));
    TimeSeriesView::new(name).with_contents(everything).into()
}

/// Creates the layout. A live recording is followed.
pub fn blueprint(live: bool) -> Blueprint {
    let robot = Vertical::new([
        Spatial3DView::new("Robot").with_origin("/robot").into(),
        Spatial2DView::new("Camera").with_origin("/camera").into(),
    ])
    .with_row_shares([3.0_f32, 2.0]);
    let joints = Vertical::new([
        curves("Body and head, degrees", &["/body", "/head"]),
        curves("Legs, degrees", &["/legs"]),
        curves("Antennas, degrees", &["/antennas"]),
    ])
    .with_name("Joints");
    let health = Vertical::new([
        curves("Temperature, degrees Celsius", &["/health/temperature"]),
        curves("Supply, volts", &["/health/voltage"]),
        curves("Current, milliamperes", &["/health/current"]),
        curves("Speed, degrees per second", &["/health/speed"]),
    ])
    .with_name("Health");
    let control_loop = Vertical::new([
        curves("Wake-up latency, microseconds", &["/control_loop/jitter"]),
        curves("Overruns and missing messages", &["/control_loop/late", "/control_loop/dropped"]),
    ])
    .with_name("Control loop");
    let motion = Tabs::new([
        joints.into(),
        curves("Clamps, degrees", &["/trims"]),
        curves("Margins, degrees", &["/margins"]),
        health.into(),
        control_loop.into(),
    ]);
    let words = Vertical::new([
        TextDocumentView::new("About").with_origin("/about").into(),
        TextLogView::new("Texts").with_contents(["/said/**", "/spans"]).into(),
        StateTimelineView::new("Running").with_origin("/spans/running").into(),
    ])
    .with_row_shares([3.0_f32, 4.0, 1.0]);
    let root =
        Horizontal::new([robot.into(), motion.into(), words.into()]).with_column_shares([3.0_f32, 4.0, 3.0]);
    let time = TimePanel::new().with_state(PanelState::Expanded).with_timeline("stage_time");
    let time = if live { time.with_play_state(PlayState::Following) } else { time };
    Blueprint::new(root)
        .with_auto_views(false)
        .with_selection_panel(SelectionPanel::from_state(PanelState::Collapsed))
        .with_time_panel(time)
}
