//! Handles the host calls of a guest: the context plans and executes each one and returns its result.

use std::time::Duration;

use firmware_bridge::joint::{Joint, Joints};
use firmware_bridge::motion::{self, Motion, Refusal, Target};
use firmware_bridge::posture::{Antennas, HeadPose};
use firmware_bridge::pulse::Control;
use firmware_bridge::units::Radians;
use minismith_wire::frame::MAX_RAW;
use minismith_wire::window::SLOT_BYTES;
use minismith_wire::{Answer, Cue, RefusalKind, State};

use super::{Execution, Next, Outcome, Reply, STEPS_KEPT, cut, rounded};
use minismith_analysis::manifest::Capability;
use minismith_control::eyes::NoSight;
use minismith_control::stage::{Stage, interpolation, look_at, ramp};
use minismith_runtime::outcome::{self, PostureView, Step};

impl Execution<'_> {
    pub(super) fn act(&mut self, cue: Cue) -> Next {
        match cue {
            Cue::Goto { head, antennas, body_yaw, duration, method } => {
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
            Cue::LookAt { point, duration } => {
                let planned =
                    motion::duration_from_seconds(duration).and_then(|duration| look_at(point, duration));
                match planned {
                    Ok(motion) => self.play("look_at", &motion),
                    Err(refusal) => self.refused_step("look_at", &refusal),
                }
            }
            Cue::SetTarget { head, antennas, body_yaw } => {
                match self.target(head, antennas, body_yaw).and_then(|target| self.follow(target)) {
                    Ok(()) => self.done(),
                    Err(refusal) => self.refused_step("set_target", &refusal),
                }
            }
            Cue::Play { keyframes, initial_goto } => match self.keyframes(&keyframes, initial_goto) {
                Ok(motion) => self.play("play", &motion),
                Err(refusal) => self.refused_step("play", &refusal),
            },
            Cue::Sleep { seconds } => self.sleep(seconds),
            Cue::State => self.state(),
            Cue::Frame { slot } => self.frame(slot),
            Cue::Track { on: true, weight } => self.begin_tracking(weight),
            Cue::Track { on: false, .. } => {
                self.tracking = None;
                self.done()
            }
            Cue::Face => self.face(),
            Cue::Detections => self.detections(),
            Cue::Ray { u, v } => self.ray(u, v),
            Cue::Motors { on, ids } => self.motors(on, ids),
            Cue::AutomaticBodyYaw { on } => {
                self.stage.automatic_body_yaw = on;
                self.done()
            }
            Cue::Wake => match self.switch(Joints::all(true)) {
                Ok(()) => self.sequence("wake", &Stage::waking()),
                Err(refusal) => self.refused_step("wake", &refusal),
            },
            Cue::Rest => self.sequence("rest", &Stage::resting()),
            Cue::Sound { file } => {
                self.note(&format!("there is no speaker: the sound {:?} was not played", cut(file, 100)));
                self.done()
            }
            Cue::Gravity { on } => self.gravity(on),
            Cue::Exec { name, arguments } => self.exec(&name, &arguments),
            Cue::Write { file, piece } => match self.writes.write(&file, &piece) {
                Ok(()) => self.done(),
                Err((kind, why)) => self.refuse(kind, &why),
            },
        }
    }

    /// Switches hand guiding on or off. A mode that is already active continues unchanged.
    fn gravity(&mut self, on: bool) -> Next {
        self.collect_trims();
        let led = self.stage.conductor.snapshot().control == Control::GravityCompensation;
        let (control, kind) = if on {
            (Control::GravityCompensation, "gravity compensation on")
        } else {
            (Control::Position, "gravity compensation off")
        };
        if on != led
            && let Err(refusal) = self.stage.control(control)
        {
            return self.refuse(RefusalKind::Runtime, &refusal.to_string());
        }
        self.now = self.elapsed().max(self.now);
        self.keep(Step { kind: kind.into(), ..Step::default() });
        self.done()
    }

    pub(super) fn done(&self) -> Next {
        Next::Answer(Reply::plain(Answer::Done { now: self.now.0 }))
    }

    pub(super) fn refuse(&self, kind: RefusalKind, message: &str) -> Next {
        Next::Answer(Reply::plain(Answer::Refused { now: self.now.0, kind, message: message.into() }))
    }

    fn refused_step(&mut self, kind: &str, refusal: &Refusal) -> Next {
        self.keep(Step::refused(kind, refusal));
        let kind = match refusal {
            Refusal::Limp
            | Refusal::Led
            | Refusal::Taken { .. }
            | Refusal::Stopped
            | Refusal::Fault { .. }
            | Refusal::Lost(_) => RefusalKind::Runtime,
            Refusal::Unreachable(_)
            | Refusal::BeyondServo { .. }
            | Refusal::NotFinite { .. }
            | Refusal::NotAPose(_)
            | Refusal::BadDuration { .. }
            | Refusal::OutOfOrder { .. } => RefusalKind::Value,
        };
        self.refuse(kind, &refusal.to_string())
    }

    fn target(
        &self,
        head: Option<[f64; 16]>,
        antennas: Option<[f64; 2]>,
        body_yaw: Option<f64>,
    ) -> Result<Target, Refusal> {
        let head = head.map(|rows| HeadPose::from_row_major(&rows)).transpose()?;
        let antennas = antennas.map(|[right, left]| Antennas { right: Radians(right), left: Radians(left) });
        Ok(Target { head, body_yaw: body_yaw.map(Radians), antennas })
    }

    fn keyframes(
        &self,
        keyframes: &[minismith_wire::Keyframe],
        initial_goto: f64,
    ) -> Result<Motion, Refusal> {
        let lead =
            if initial_goto > 0.0 { motion::duration_from_seconds(initial_goto)? } else { Duration::ZERO };
        let frames = keyframes.iter().map(|frame| {
            let at =
                if frame.time > 0.0 { motion::duration_from_seconds(frame.time)? } else { Duration::ZERO };
            Ok(motion::Keyframe {
                at: lead + at,
                target: self.target(frame.head, frame.antennas, frame.body_yaw)?,
            })
        });
        Ok(Motion::Play(frames.collect::<Result<_, Refusal>>()?))
    }

    /// Plays a motion to its end, within the budget.
    fn play(&mut self, kind: &str, motion: &Motion) -> Next {
        self.collect_trims();
        let trajectory = match self.stage.plan(motion) {
            Ok(trajectory) => trajectory,
            Err(refusal) => return self.refused_step(kind, &refusal),
        };
        let beats = u32::try_from(trajectory.wishes.len()).unwrap_or(u32::MAX);
        let end = self.now + self.stage.conductor.period() * beats;
        if end > self.budget() {
            let seconds = self.permit.stage_seconds;
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
        let (trims, step) = self.stage.play(kind, trajectory);
        self.count_late_command(&self.stage.conductor.snapshot());
        self.record.trims.merge(&trims);
        self.last_set = None;
        self.now = self.elapsed().max(self.now);
        let refusal = step.refusal.clone();
        self.keep(Step { began_s, ..step });
        match refusal {
            None => self.done(),
            Some(why) if self.stage.is_stopped() => Next::End(Outcome::stopped("stop", why)),
            Some(why) => self.refuse(RefusalKind::Runtime, &why),
        }
    }

    fn sequence(&mut self, kind: &str, motions: &[Motion]) -> Next {
        for motion in motions {
            match self.play(kind, motion) {
                Next::Answer(Reply { answer: Answer::Done { .. }, .. }) => {}
                other => return other,
            }
        }
        self.done()
    }

    /// Follows a streamed target over the stream's own interval, so that a 50 Hz stream is smooth at 100 Hz.
    fn follow(&mut self, target: Target) -> Result<(), Refusal> {
        let over = ramp(self.last_set.map(|last| self.now.since(last)), self.stage.conductor.period());
        let trajectory = self.stage.plan(&Motion::SetTarget { target, over })?;
        let requested = PostureView::from(&trajectory.target);
        let trims = outcome::adjustments(&trajectory.adjustments);
        let fresh = self.last_set.is_none();
        self.expect_on_next_cycle();
        self.stage.follow(trajectory, fresh);
        self.last_set = Some(self.now);
        match self.record.steps.last_mut() {
            Some(step) if step.kind == "set_target" && step.refusal.is_none() => {
                step.requested = Some(requested);
                for trim in trims {
                    outcome::merge(&mut step.trims, trim);
                }
            }
            _ => self.keep(Step {
                kind: "set_target".into(),
                requested: Some(requested),
                trims,
                began_s: self.clock_s(),
                ..Step::default()
            }),
        }
        Ok(())
    }

    /// Records the clamps of a stream of targets before the count starts again.
    pub(super) fn collect_trims(&mut self) {
        if self.last_set.take().is_none() {
            return;
        }
        let log = self.stage.conductor.snapshot().trims;
        self.record.trims.merge(&log);
        let achieved = self.stage.posture().as_ref().map(PostureView::from);
        if let Some(step) = self.record.steps.iter_mut().rev().find(|step| step.kind == "set_target") {
            step.achieved = achieved;
            for trim in outcome::trims(&log, self.stage.conductor.period()) {
                outcome::merge(&mut step.trims, trim);
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
                    self.permit.stage_seconds
                ),
            ));
        }
        self.now = until;
        self.catch_up();
        self.done()
    }

    fn state(&self) -> Next {
        let snapshot = self.stage.conductor.snapshot();
        let (Ok(present), Some(posture)) = (snapshot.state.present(), self.stage.posture()) else {
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
        Next::Answer(Reply::plain(Answer::State { now: self.now.0, state: Box::new(state) }))
    }

    /// Sends the latest camera image. It is written into the slot that the guest names. It goes through the channel if the
    /// guest names no slot or the image is larger than one.
    ///
    /// An image is copied once, from the camera's buffer into the shared memory. Through the channel it is copied three
    /// times: into its frame, into the kernel, and out of it into the tool's array.
    fn frame(&mut self, slot: Option<u8>) -> Next {
        self.record.frames += 1;
        let now = self.now.0;
        let taken = self.stage.frame().map_err(NoSight::from).and_then(|frame| Ok(frame.picture()?));
        let picture = match taken {
            Ok(picture) => picture,
            Err(no) => {
                self.note(&format!("there is no image, and get_frame() answers None: {no}"));
                return Next::Answer(Reply::plain(Answer::Frame { now, height: 0, width: 0, slot: None }));
            }
        };
        if picture.bgr.len() > MAX_RAW {
            let message = format!(
                "the camera's image is {} by {} pixels, larger than a tool can receive; configure a smaller resolution",
                picture.width, picture.height
            );
            return self.refuse(RefusalKind::Runtime, &message);
        }
        let [height, width] =
            [picture.height, picture.width].map(|pixels| u32::try_from(pixels).unwrap_or(0));
        let slot = slot.filter(|_| picture.bgr.len() <= SLOT_BYTES);
        let answer = Answer::Frame { now, height, width, slot };
        Next::Answer(Reply { answer, picture: Some(picture) })
    }

    fn motors(&mut self, on: bool, ids: Option<Vec<String>>) -> Next {
        let mut torque = self.stage.conductor.snapshot().state.torque;
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

    fn switch(&mut self, torque: Joints<bool>) -> Result<(), Refusal> {
        self.collect_trims();
        self.stage.torque(torque)?;
        self.now = self.elapsed().max(self.now);
        Ok(())
    }

    fn keep(&mut self, step: Step) {
        if self.record.steps.len() < STEPS_KEPT {
            self.record.steps.push(step);
        } else {
            self.note(&format!("only the first {STEPS_KEPT} steps are recorded"));
        }
    }

    /// Returns the run's clock for the record, seconds.
    fn clock_s(&self) -> Option<f64> {
        Some(outcome::tidy(self.now.seconds()))
    }

    pub(super) fn note(&mut self, note: &str) {
        if !self.record.notes.iter().any(|known| known == note) && self.record.notes.len() < 20 {
            self.record.notes.push(note.into());
        }
    }
}

pub(super) const fn needs(cue: &Cue) -> Option<Capability> {
    match cue {
        Cue::Goto { .. }
        | Cue::SetTarget { .. }
        | Cue::Play { .. }
        | Cue::LookAt { .. }
        | Cue::AutomaticBodyYaw { .. }
        | Cue::Wake
        | Cue::Rest => Some(Capability::Motion),
        Cue::Motors { .. } | Cue::Gravity { .. } => Some(Capability::Motors),
        Cue::Frame { .. } | Cue::Detections | Cue::Ray { .. } => Some(Capability::Camera),
        Cue::Track { .. } | Cue::Face => Some(Capability::Tracking),
        Cue::Sound { .. } => Some(Capability::Sound),
        Cue::Exec { .. } => Some(Capability::Exec),
        Cue::Write { .. } => Some(Capability::Files),
        Cue::Sleep { .. } | Cue::State => None,
    }
}
