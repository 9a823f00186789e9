//! The robot's state as the official data channel sends it, put together from the messages of the SDK's WebSocket.

use serde_json::{Value, json};

/// The last state; null is what is not known yet.
#[derive(Clone, Debug, Default)]
pub struct RobotState {
    head_pose: Value,
    antennas: Value,
    head_joints: Value,
    status: Value,
    motor_mode: Value,
    is_move_running: bool,
    /// Number of pose frames.
    frames: u64,
}

impl RobotState {
    /// Takes a message of the SDK's WebSocket.
    pub fn hear(&mut self, mut message: Value) {
        let kind = message.get("type").and_then(Value::as_str).unwrap_or_default().to_owned();
        let mut take = |key| message.get_mut(key).map(Value::take).unwrap_or_default();
        match kind.as_str() {
            "joint_positions" => {
                self.head_joints = take("head_joint_positions");
                self.antennas = take("antennas_joint_positions");
            }
            "head_pose" => self.head_pose = take("head_pose"),
            "daemon_status" => {
                self.motor_mode =
                    message.pointer("/backend_status/motor_control_mode").cloned().unwrap_or_default();
                self.status = message;
            }
            _ => {}
        }
    }

    /// Takes what the REST API says, which is newer than the last message.
    pub fn update(&mut self, is_move_running: Option<bool>, motor_mode: Option<Value>) {
        self.is_move_running = is_move_running.unwrap_or(self.is_move_running);
        self.motor_mode = motor_mode.unwrap_or_else(|| self.motor_mode.take());
    }

    /// Returns a field of the status, by a JSON pointer.
    #[must_use]
    pub fn status(&self, pointer: &str) -> Value {
        self.status.pointer(pointer).cloned().unwrap_or_default()
    }

    /// Returns the state in the official form: metres and radians, antennas right and left.
    #[must_use]
    pub fn snapshot(&self) -> Value {
        let mode = if self.motor_mode.is_null() { json!("disabled") } else { self.motor_mode.clone() };
        json!({
            "head_pose": self.head_pose,
            "antennas": self.antennas,
            "head_joint_positions": self.head_joints,
            "body_yaw": self.head_joints.get(0).and_then(Value::as_f64).unwrap_or(0.0),
            "motor_mode": mode,
            "is_recording": false,
            "is_move_running": self.is_move_running,
            "face_target": self.status("/face_target"),
            "doa": null,
        })
    }

    /// Returns the next frame of the stream of poses; none until a pose is known.
    pub fn pose_frame(&mut self) -> Option<Value> {
        if self.head_pose.is_null() {
            return None;
        }
        self.frames += 1;
        Some(json!({ "state": self.snapshot(), "seq": self.frames }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_state_is_put_together() {
        let mut state = RobotState::default();
        assert_eq!(state.pose_frame(), None);
        state.hear(json!({ "type": "joint_positions", "head_joint_positions": [0.5, 1, 2, 3, 4, 5, 6],
            "antennas_joint_positions": [0.1, 0.2] }));
        state.hear(json!({ "type": "head_pose", "head_pose": [[1, 0, 0, 0]] }));
        state.hear(json!({ "type": "daemon_status", "version": "1",
            "backend_status": { "motor_control_mode": "enabled" }, "face_target": { "detected": false } }));
        state.hear(json!({ "type": "unknown" }));
        state.update(Some(true), None);
        let seen = state.snapshot();
        assert_eq!(seen["body_yaw"], 0.5);
        assert_eq!(seen["antennas"], json!([0.1, 0.2]));
        assert_eq!((&seen["motor_mode"], &seen["is_move_running"]), (&json!("enabled"), &json!(true)));
        assert_eq!(state.status("/version"), "1");
        state.update(None, Some(json!("disabled")));
        assert_eq!(state.pose_frame().unwrap()["seq"], 1);
        assert_eq!(state.pose_frame().unwrap()["state"]["motor_mode"], "disabled");
    }
}
