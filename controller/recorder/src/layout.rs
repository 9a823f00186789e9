//! How a viewer opens a recording: the robot on the left, the curves in the middle, the words on the right.

use re_sdk::blueprint::{
    Blueprint, ContainerLike, Horizontal, SelectionPanel, Spatial3DView, Tabs, TextDocumentView, TextLogView,
    TimePanel, TimeSeriesView, Vertical,
};
use re_sdk_types::blueprint::components::PanelState;

/// The arrangement.
pub fn blueprint() -> Blueprint {
    let curves = |name: &str, origins: &[&str]| -> ContainerLike {
        let everything = origins.iter().map(|origin| format!("{origin}/**"));
        TimeSeriesView::new(name).with_contents(everything).into()
    };
    let robot = Spatial3DView::new("Robot").with_origin("/robot");
    let motion = Vertical::new([
        curves("Body and head, degrees", &["/body", "/head"]),
        curves("Legs, degrees", &["/legs"]),
        curves("Antennas, degrees", &["/antennas"]),
        Tabs::new([curves("Trims, degrees", &["/trims"]), curves("Margins, degrees", &["/margins"])]).into(),
    ]);
    let words = Vertical::new([
        TextDocumentView::new("About").with_origin("/about").into(),
        TextLogView::new("Said").with_origin("/said").into(),
    ]);
    let root =
        Horizontal::new([robot.into(), motion.into(), words.into()]).with_column_shares([3.0_f32, 4.0, 3.0]);
    Blueprint::new(root)
        .with_auto_views(false)
        .with_selection_panel(SelectionPanel::from_state(PanelState::Collapsed))
        .with_time_panel(TimePanel::new().with_state(PanelState::Expanded).with_timeline("stage_time"))
}
