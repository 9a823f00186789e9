//! Handles the host calls of a guest: the context plans and executes each one and returns its result.

use std::time::Duration;

use firmware_bridge::control_loop::ControlMode;
use firmware_bridge::joint::{Joint, Joints};
use firmware_bridge::motion::{self, Motion, MotionError, Target};
use firmware_bridge::posture::{Antennas, HeadPose};
use firmware_bridge::units::Radians;
use minismith_protocol::frame::MAX_RAW_BYTES;
use minismith_protocol::shared_frames::SLOT_BYTES;
use minismith_protocol::{HostCall, HostReply, RefusalKind, State};

use super::{Execution, MAX_EVENTS, MAX_STEPS_KEPT, Next, Outcome, Reply, rounded};
use minismith_analysis::manifest::Capability;
use minismith_control::execution::{ExecutionContext, interpolation, look_at};
use minismith_control::perception::PerceptionError;
use minismith_runtime::report::{self, PostureReport, Step};

impl Execution<'_> {
    pub(super) fn act(&mut self, cue: HostCall) -> Next {
        match cue {
            HostCall::Goto { head, antennas, body_yaw, duration, method } => {
                let planned = self
                    .target(head, antennas, body_yaw)
                    .and_then(|target| Ok((target, motion::duration_from_seconds(duration)?)));
                match planned {
                    Ok((target, duration)) => {
                        let interpolation = interpolation(method);
                        self.play("goto", &Motion::Goto { target, duration, interpolation })
                    }
                    Err(refusal) => self.refused_step("goto", &refusal),
                }
            }
            HostCall::LookAt { point, duration } => {
                let planned =
                    motion::duration_from_seconds(duration).and_then(|duration| look_at(point, duration));
                match planned {
                    Ok(motion) => self.play("look_at", &motion),
                    Err(refusal) => self.refused_step("look_at", &refusal),
                }
            }
            HostCall::SetTarget { head, antennas, body_yaw } => {
                match self.target(head, antennas, body_yaw).and_then(|target| self.follow(target)) {
                    Ok(()) => self.done(),
                    Err(refusal) => self.refused_step("set_target", &refusal),
                }
            }
            HostCall::Play { keyframes, initial_goto } => match self.keyframes(&keyframes, initial_goto) {
                Ok(motion) => self.play("play", &motion),
                Err(refusal) => self.refused_step("play", &refusal),
            },
            HostCall::Sleep { seconds } => self.sleep(seconds),
            HostCall::State => self.state(),
            HostCall::Frame { slot } => self.frame(slot),
            HostCall::Photo => self.photo(),
            HostCall::Track { on: true, weight } => self.begin_tracking(weight),
            HostCall::Track { on: false, .. } => {
                self.tracking = None;
                self.done()
            }
            HostCall::Face => self.face(),
            HostCall::Detections => self.detections(),
            HostCall::Ray { u, v } => self.ray(u, v),
            HostCall::Motors { on, ids } => self.motors(on, ids),
            HostCall::AutomaticBodyYaw { on } => {
                self.context.automatic_body_yaw = on;
                self.done()
            }
            HostCall::Wake => match self.switch(Joints::all(true)) {
                Ok(()) => self.sequence("wake", &ExecutionContext::waking()),
                Err(refusal) => self.refused_step("wake", &refusal),
            },
            HostCall::Rest => self.sequence("rest", &ExecutionContext::resting()),
            HostCall::Sound { file } => self.play_file(&file),
            HostCall::PlaySamples { samples } => self.play_samples(&samples),
            HostCall::Record { on } => self.listen(on),
            HostCall::Heard => self.heard(),
            HostCall::VoiceDirection => self.voice_direction(),
            HostCall::Gravity { on } => self.gravity(on),
            HostCall::Exec { name, arguments } => self.exec(&name, &arguments),
            HostCall::Write { file, piece } => match self.writes.write(&file, &piece) {
                Ok(()) => self.done(),
                Err((kind, why)) => self.refuse(kind, &why),
            },
        }
    }

    /// Switches hand guiding on or off. A mode that is already active continues unchanged.
    fn gravity(&mut self, on: bool) -> Next {
        self.collect_clamps();
        let led = self.context.control.snapshot().control_mode == ControlMode::GravityCompensation;
        let (control, kind) = if on {
            (ControlMode::GravityCompensation, "gravity compensation on")
        } else {
            (ControlMode::Position, "gravity compensation off")
        };
        if on != led
            && let Err(refusal) = self.context.set_control_mode(control)
        {
            return self.refuse(RefusalKind::Runtime, &refusal.to_string());
        }
        self.now = self.elapsed().max(self.now);
        self.keep(Step { kind: kind.into(), ..Step::default() });
        self.done()
    }

    pub(super) fn done(&self) -> Next {
        Next::Answer(Reply::plain(HostReply::Done { now: self.now.0 }))
    }

    pub(super) fn refuse(&self, kind: RefusalKind, message: &str) -> Next {
        Next::Answer(Reply::plain(HostReply::Refused { now: self.now.0, kind, message: message.into() }))
    }

    fn refused_step(&mut self, kind: &str, refusal: &MotionError) -> Next {
        self.keep(Step::refused(kind, refusal));
        let kind = match refusal {
            MotionError::TorqueOff
            | MotionError::HandGuidingActive
            | MotionError::ControlledBy { .. }
            | MotionError::Stopped
            | MotionError::Fault { .. }
            | MotionError::HeadPoseUnknown(_) => RefusalKind::Runtime,
            MotionError::Unreachable(_)
            | MotionError::JointLimit { .. }
            | MotionError::NotFinite { .. }
            | MotionError::InvalidPose(_)
            | MotionError::InvalidDuration { .. }
            | MotionError::OutOfOrder { .. } => RefusalKind::Value,
        };
        self.refuse(kind, &refusal.to_string())
    }

    fn target(
        &self,
        head: Option<[f64; 16]>,
        antennas: Option<[f64; 2]>,
        body_yaw: Option<f64>,
    ) -> Result<Target, MotionError> {
        let head = head.map(|rows| HeadPose::from_row_major(&rows)).transpose()?;
        let antennas = antennas.map(|[right, left]| Antennas { right: Radians(right), left: Radians(left) });
        Ok(Target { head, body_yaw: body_yaw.map(Radians), antennas })
    }

    fn keyframes(
        &self,
        keyframes: &[minismith_protocol::Keyframe],
        initial_goto: f64,
    ) -> Result<Motion, MotionError> {
        let lead =
            if initial_goto > 0.0 { motion::duration_from_seconds(initial_goto)? } else { Duration::ZERO };
        let frames = keyframes.iter().map(|frame| {
            let at =
                if frame.time > 0.0 { motion::duration_from_seconds(frame.time)? } else { Duration::ZERO };
            Ok(motion::Keyframe {
                time: lead + at,
                target: self.target(frame.head, frame.antennas, frame.body_yaw)?,
            })
        });
        Ok(Motion::Play(frames.collect::<Result<_, MotionError>>()?))
    }

    /// Plays a motion to its end, within the budget.
    fn play(&mut self, kind: &str, motion: &Motion) -> Next {
        self.collect_clamps();
        let trajectory = match self.context.plan(motion) {
            Ok(trajectory) => trajectory,
            Err(refusal) => return self.refused_step(kind, &refusal),
        };
        let cycles = u32::try_from(trajectory.setpoints.len()).unwrap_or(u32::MAX);
        let end = self.now + self.context.control.period() * cycles;
        if end > self.budget() {
            let seconds = self.permit.robot_time_s;
            self.keep(Step::refused(
                kind,
                format!("would take longer than the tool's budget of {seconds} s"),
            ));
            return Next::End(Outcome::stopped(
                "stage_seconds",
                format!(
                    "the tool would take {} s of robot time with this motion, its budget is {seconds} s; make it shorter",
                    rounded(end.seconds())
                ),
            ));
        }
        self.expect_on_next_cycle();
        let began_s = self.clock_s();
        let (clamps, step) = self.context.play(kind, trajectory);
        self.count_late_command(&self.context.control.snapshot());
        self.record.clamps.merge(&clamps);
        self.last_set = None;
        self.now = self.elapsed().max(self.now);
        let refusal = step.refusal.clone();
        self.keep(Step { began_s, ..step });
        match refusal {
            None => self.done(),
            Some(why) if self.context.is_stopped() => Next::End(Outcome::stopped("stop", why)),
            Some(why) => self.refuse(RefusalKind::Runtime, &why),
        }
    }

    fn sequence(&mut self, kind: &str, motions: &[Motion]) -> Next {
        for motion in motions {
            match self.play(kind, motion) {
                Next::Answer(Reply { answer: HostReply::Done { .. }, .. }) => {}
                other => return other,
            }
        }
        self.done()
    }

    /// Follows a streamed target over the stream's own interval, so that a 50 Hz stream is smooth at 100 Hz.
    fn follow(&mut self, target: Target) -> Result<(), MotionError> {
        let fresh = self.last_set.is_none();
        let followed = self.context.set_target(&target, self.robot_time(), None, fresh)?;
        let requested = PostureReport::from(&followed.target);
        let clamps = report::adjustments(&followed.adjustments);
        self.expect_on_next_cycle();
        self.last_set = Some(self.now);
        match self.record.steps.last_mut() {
            Some(step) if step.kind == "set_target" && step.refusal.is_none() => {
                step.requested = Some(requested);
                for clamp in clamps {
                    report::merge(&mut step.clamps, clamp);
                }
            }
            _ => self.keep(Step {
                kind: "set_target".into(),
                requested: Some(requested),
                clamps,
                began_s: self.clock_s(),
                ..Step::default()
            }),
        }
        Ok(())
    }

    /// Records the clamps of a stream of targets before the count starts again.
    pub(super) fn collect_clamps(&mut self) {
        if self.last_set.take().is_none() {
            return;
        }
        self.context.end_stream();
        let log = self.context.control.snapshot().clamps;
        self.record.clamps.merge(&log);
        let achieved = self.context.posture().as_ref().map(PostureReport::from);
        if let Some(step) = self.record.steps.iter_mut().rev().find(|step| step.kind == "set_target") {
            step.achieved = achieved;
            for clamp in report::clamp_reports(&log, self.context.control.period()) {
                report::merge(&mut step.clamps, clamp);
            }
        }
    }

    fn sleep(&mut self, seconds: f64) -> Next {
        if !seconds.is_finite() || seconds < 0.0 {
            return self.refuse(RefusalKind::Value, "sleep length must be a non-negative number");
        }
        let until = self.now + Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX);
        if until > self.budget() {
            return Next::End(Outcome::stopped(
                "stage_seconds",
                format!(
                    "the tool would take {} s of robot time with a sleep of {seconds} s, its budget is {} s; make it \
                     shorter",
                    rounded(until.seconds()),
                    self.permit.robot_time_s
                ),
            ));
        }
        self.now = until;
        self.catch_up();
        self.done()
    }

    fn state(&self) -> Next {
        let snapshot = self.context.control.snapshot();
        let (Ok(present), Some(posture)) = (snapshot.state.present(), self.context.posture()) else {
            return self
                .refuse(RefusalKind::Runtime, "the robot's position is unknown; see `minismith doctor`");
        };
        let [s1, s2, s3, s4, s5, s6] = present.stewart().map(Radians::value);
        let state = State {
            head: posture.head.to_row_major(),
            head_joints: [present[Joint::BodyYaw].value(), s1, s2, s3, s4, s5, s6],
            antennas: [present[Joint::RightAntenna].value(), present[Joint::LeftAntenna].value()],
            torque: snapshot.state.is_driven(),
        };
        Next::Answer(Reply::plain(HostReply::State { now: self.now.0, state: Box::new(state) }))
    }

    /// Sends the latest camera image. It is written into the slot that the guest names. It goes through the channel if the
    /// guest names no slot or the image is larger than one.
    ///
    /// An image is copied once, from the camera's buffer into the shared memory. Through the channel it is copied three
    /// times: into its frame, into the kernel, and out of it into the tool's array.
    fn frame(&mut self, slot: Option<u8>) -> Next {
        self.count_image();
        let now = self.now.0;
        let taken = self.context.frame().map_err(PerceptionError::from).and_then(|frame| Ok(frame.image()?));
        let image = match taken {
            Ok(image) => image,
            Err(no) => {
                self.note(&format!("there is no image, and get_frame() answers None: {no}"));
                return Next::Answer(Reply::plain(HostReply::Frame { now, height: 0, width: 0, slot: None }));
            }
        };
        if image.bgr.len() > MAX_RAW_BYTES {
            let message = format!(
                "the camera's image is {} by {} pixels, larger than a tool can receive; configure a smaller resolution",
                image.width, image.height
            );
            return self.refuse(RefusalKind::Runtime, &message);
        }
        let [height, width] = [image.height, image.width].map(|pixels| u32::try_from(pixels).unwrap_or(0));
        let slot = slot.filter(|_| image.bgr.len() <= SLOT_BYTES);
        let answer = HostReply::Frame { now, height, width, slot };
        Next::Answer(Reply::image(answer, image))
    }

    /// Keeps the latest camera image among the files of the run.
    fn photo(&mut self) -> Next {
        self.count_image();
        let jpeg = self
            .context
            .frame()
            .map_err(PerceptionError::from)
            .and_then(|frame| Ok(frame.jpeg()?))
            .map_err(|no| no.to_string())
            .and_then(|jpeg| self.writes.keep_photo(&jpeg));
        match jpeg {
            Ok(()) => self.done(),
            Err(why) => self.refuse(RefusalKind::Runtime, &format!("the robot cannot take a photo: {why}")),
        }
    }

    fn count_image(&mut self) {
        self.record.frames += 1;
        if self.record.photos.len() < MAX_EVENTS {
            self.record.photos.push(self.now.seconds());
        }
    }

    fn motors(&mut self, on: bool, ids: Option<Vec<String>>) -> Next {
        let mut torque = self.context.control.snapshot().state.torque;
        match ids {
            None => torque = Joints::all(on),
            Some(ids) => {
                for name in ids {
                    let Some(joint) = Joint::from_name(&name) else {
                        let known: Vec<_> = Joint::ALL.iter().map(|joint| joint.name()).collect();
                        let message =
                            format!("there is no motor {name:?}; the motors are {}", known.join(", "));
                        return self.refuse(RefusalKind::Value, &message);
                    };
                    torque[joint] = on;
                }
            }
        }
        let kind = if on { "motors on" } else { "motors off" };
        if let Err(refusal) = self.switch(torque) {
            return self.refused_step(kind, &refusal);
        }
        self.keep(Step { kind: kind.into(), ..Step::default() });
        self.done()
    }

    fn switch(&mut self, torque: Joints<bool>) -> Result<(), MotionError> {
        self.collect_clamps();
        self.context.torque(torque)?;
        self.now = self.elapsed().max(self.now);
        Ok(())
    }

    fn keep(&mut self, step: Step) {
        if self.record.steps.len() < MAX_STEPS_KEPT {
            self.record.steps.push(step);
        } else {
            self.note(&format!("only the first {MAX_STEPS_KEPT} steps are recorded"));
        }
    }

    /// Returns the run's clock for the record, seconds.
    fn clock_s(&self) -> Option<f64> {
        Some(report::round_for_display(self.now.seconds()))
    }

    pub(super) fn note(&mut self, note: &str) {
        if !self.record.notes.iter().any(|known| known == note) && self.record.notes.len() < 20 {
            self.record.notes.push(note.into());
        }
    }
}

pub(super) const fn needs(cue: &HostCall) -> Option<Capability> {
    match cue {
        HostCall::Goto { .. }
        | HostCall::SetTarget { .. }
        | HostCall::Play { .. }
        | HostCall::LookAt { .. }
        | HostCall::AutomaticBodyYaw { .. }
        | HostCall::Wake
        | HostCall::Rest => Some(Capability::Motion),
        HostCall::Motors { .. } | HostCall::Gravity { .. } => Some(Capability::Motors),
        HostCall::Frame { .. } | HostCall::Photo | HostCall::Detections | HostCall::Ray { .. } => {
            Some(Capability::Camera)
        }
        HostCall::Track { .. } | HostCall::Face => Some(Capability::Tracking),
        HostCall::Sound { .. } | HostCall::PlaySamples { .. } => Some(Capability::Sound),
        HostCall::Heard | HostCall::VoiceDirection => Some(Capability::Microphone),
        HostCall::Exec { .. } => Some(Capability::Exec),
        HostCall::Write { .. } => Some(Capability::Files),
        // A tool that fetches nothing has no use for a microphone; it is not opened then.
        HostCall::Record { .. } | HostCall::Sleep { .. } | HostCall::State => None,
    }
}
