//! Tools in the language of motion for people who edit them on a timeline: source to steps with their times, and back.
//!
//! Nothing here runs a tool, moves the robot or is stored; the source is the only form of a tool. An edited source is
//! checked like any other before it becomes a tool.

use std::collections::BTreeSet;
use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use firmware_bridge::control_loop::{ControlLoopHandle, LoopClient};
use firmware_bridge::envelope::ClampCause;
use firmware_bridge::limits::Limits;
use firmware_bridge::posture::Posture;
use minismith_runtime::report::{PostureReport, round_for_display};
use minismith_runtime::role::Role;
use minismith_score::plan::{PERIOD, Plan, PlanSample, PlannedClamp};
use minismith_score::score::MAX_SECONDS;
use minismith_score::{
    Arguments, Axis, AxisValues, Event, EventSpan, Part, ReadError, Score, ScoreError, Setting, Step,
    Stimuli, Target, Timeline,
};
use minismith_toolchain::workshop::preview::PreviewSample;
use minismith_voice::beat::beat;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio::sync::Semaphore;
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::caller::Caller;
use super::extract::{ApiError, ErrorBody, JsonBody, QueryParams, nested};
use minismith_media::sounds::{SoundError, Sounds};

/// The most samples of a plan; a longer one has fewer per second.
const MAX_SAMPLES: usize = 1500;
/// The most samples of a recording.
const MAX_RECORDED: usize = 12_000;
/// How many plans are computed at once, so that they leave a processor to the control loop.
const MAX_AT_ONCE: usize = 1;

/// When an event begins first, and how often it comes, seconds.
const FIRST_EVENT: f64 = 1.0;
const EVENT_PERIOD: f64 = 8.0;
/// How long an event and a clap last, seconds.
const EVENT_SECONDS: f64 = 3.0;
const CLAP_SECONDS: f64 = 0.3;

struct Choreography {
    control_loop: ControlLoopHandle,
    sounds: Arc<Sounds>,
    permits: Semaphore,
}

pub(super) fn routes(control_loop: ControlLoopHandle, sounds: Arc<Sounds>) -> OpenApiRouter {
    let state = Choreography { control_loop, sounds, permits: Semaphore::new(MAX_AT_ONCE) };
    OpenApiRouter::new()
        .routes(routes!(targets))
        .routes(routes!(read_source))
        .routes(routes!(write_source))
        .routes(routes!(fit_recording))
        .routes(routes!(sound_beat))
        .with_state(Arc::new(state))
}

/// A target that a movement can name.
#[derive(Serialize, ToSchema)]
struct TargetReport {
    /// The name in a step, such as `head_left`.
    target: Target,
    /// The part that it moves.
    part: Part,
    /// The word in the source, such as `left`.
    word: &'static str,
    /// The direction on each axis: `left`, `up`, `outward` and others.
    direction: &'static str,
    /// The axes that it moves.
    axes: Vec<&'static str>,
    /// `degrees` or `mm`.
    unit: &'static str,
    /// The largest amount; the smallest is 0.
    maximum: f64,
}

/// What a step can contain.
#[derive(Serialize, ToSchema)]
struct Targets {
    /// The targets of movements.
    targets: Vec<TargetReport>,
    /// The courses of movements; the first one is the default.
    easings: Vec<&'static str>,
    /// The shortest and the longest movement, seconds.
    movement_seconds: [f64; 2],
    /// The longest wait, seconds.
    max_wait_seconds: f64,
    /// The largest number of rounds of a repeat.
    max_times: u32,
}

/// A source to read.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = ToolSource)]
struct Source {
    /// The source of a tool, in Python.
    source: String,
}

/// Steps to write.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = ToolScore)]
struct Written {
    /// The tool.
    #[schema(value_type = Score)]
    score: Value,
}

/// A recorded motion.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = RecordedPostures)]
struct Recording {
    /// The samples, in the order of time.
    #[schema(value_type = Vec<RecordedSample>)]
    samples: Value,
}

/// Where the robot was at one time.
#[derive(Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct RecordedSample {
    /// Seconds from any beginning.
    at_s: f64,
    /// The posture.
    posture: PostureReport,
}

/// A tool as steps, as source, and in time. What is missing is named in `problem`.
#[derive(Serialize, ToSchema)]
#[schema(as = Choreography)]
struct Edited {
    /// The tool.
    #[schema(required)]
    score: Option<Score>,
    /// Its source.
    #[schema(required)]
    source: Option<String>,
    /// How a call without arguments runs.
    #[schema(required)]
    plan: Option<PlanReport>,
    /// Why the source is not in the language of motion, or the tool breaks one of its rules.
    #[schema(required)]
    problem: Option<Problem>,
}

/// What is wrong, where, and what to do instead.
#[derive(Serialize, ToSchema)]
#[schema(as = ChoreographyProblem)]
struct Problem {
    /// The line of the source, from 1.
    #[schema(required)]
    line: Option<usize>,
    /// The step, counted from 0 in the order of the source, outer steps before inner ones.
    #[schema(required)]
    step: Option<usize>,
    /// What is wrong.
    reason: String,
    /// What to do instead.
    hint: String,
}

/// Steps from a recording.
#[derive(Serialize, ToSchema)]
#[schema(as = FittedSteps)]
struct Fitted {
    /// The steps.
    steps: Vec<Step>,
    /// How far they stay from the recording at most, degrees and millimetres.
    tolerance: f64,
}

/// How a call without arguments runs, from the neutral posture. Each event that it reacts to comes after a second, and again
/// every eight seconds.
#[derive(Serialize, ToSchema)]
#[schema(as = ChoreographyPlan)]
struct PlanReport {
    /// The duration, seconds.
    seconds: f64,
    /// Every run of each step.
    runs: Vec<RunReport>,
    /// The sounds.
    sounds: Vec<SoundReport>,
    /// Recorded moves whose duration is not known; each is shown with 10 seconds.
    unknown_moves: Vec<String>,
    /// What the envelope would hold back with the limits in force.
    clamps: Vec<ClampPlan>,
    /// The first time, seconds, at which a movement ends in a pose that the legs cannot reach.
    #[schema(required)]
    unreachable_s: Option<f64>,
    /// The time between two samples, seconds.
    period_s: f64,
    /// The axes that move, with one value per sample.
    axes: Vec<AxisCourse>,
    /// The largest velocity of a joint that is asked for, per sample, as a fraction of its limit.
    speed: Vec<f64>,
    /// The motors in each sample: what the envelope would command as their present positions, and what the motion asks
    /// for as their goals.
    cycles: Vec<PreviewSample>,
}

/// A run of a step.
#[derive(Serialize, ToSchema)]
#[schema(as = StepRun)]
struct RunReport {
    /// The step, counted from 0 in the order of the source, outer steps before inner ones.
    step: usize,
    /// When it begins, seconds.
    start_s: f64,
    /// When it ends, seconds.
    end_s: f64,
    /// The largest velocity of a joint of the step's part in this time, as a fraction of its limit.
    peak_speed: f64,
}

/// A sound.
#[derive(Serialize, ToSchema)]
#[schema(as = PlannedSound)]
struct SoundReport {
    /// When it begins, seconds.
    at_s: f64,
    /// Its name.
    name: String,
}

/// A time in which the envelope would hold a joint back.
#[derive(Serialize, ToSchema)]
#[schema(as = PlannedClamp)]
struct ClampPlan {
    /// The joint.
    joint: &'static str,
    /// The limit that causes it: `position`, `velocity`, `acceleration`, `jerk`, `head_pitch_roll`, `relative_yaw`,
    /// `singularity` or `not_finite`.
    cause: &'static str,
    /// When it begins, seconds.
    from_s: f64,
    /// When it ends, seconds.
    to_s: f64,
    /// The largest difference between what is asked for and what the envelope permits, degrees.
    most_deg: f64,
}

/// The course of an axis.
#[derive(Serialize, ToSchema)]
struct AxisCourse {
    /// Its name, such as `head_turn`.
    axis: Axis,
    /// `degrees` or `mm`.
    unit: &'static str,
    /// One value per sample.
    values: Vec<f64>,
}

/// List what steps can contain
///
/// The targets of movements with their ranges, and the limits of durations.
#[utoipa::path(get, path = "/api/v1/choreography/targets", tag = "choreography", operation_id = "choreography_targets",
    responses((status = 200, description = "The targets.", body = Targets)))]
async fn targets(caller: Caller) -> Result<Json<Targets>, ApiError> {
    caller.require_role(Role::Viewer)?;
    use minismith_score::score::{EASINGS, MAX_TIMES, MAX_WAIT_SECONDS, MOVE_SECONDS};
    let report = |target: &Target| TargetReport {
        target: *target,
        part: target.part(),
        word: target.word(),
        direction: target.direction().word(),
        axes: target.axes().iter().map(|axis| axis.name()).collect(),
        unit: target.axes().first().map_or("", |axis| axis.unit()),
        maximum: target.maximum(),
    };
    Ok(Json(Targets {
        targets: Target::ALL.iter().map(report).collect(),
        easings: EASINGS.iter().map(|(name, _)| *name).collect(),
        movement_seconds: [MOVE_SECONDS.0, MOVE_SECONDS.1],
        max_wait_seconds: MAX_WAIT_SECONDS,
        max_times: MAX_TIMES,
    }))
}

/// Read a source as steps
///
/// Returns the steps of a tool in the language of motion, and how a call without arguments runs. For another source,
/// `problem` says why it has no steps. Nothing is run or stored.
#[utoipa::path(post, path = "/api/v1/choreography/read", tag = "choreography", operation_id = "read_choreography",
    request_body = Source,
    responses(
        (status = 200, description = "The steps, or the problem.", body = Edited),
        (status = 422, description = "The request body is invalid.", body = ErrorBody),
))]
async fn read_source(
    State(state): State<Arc<Choreography>>,
    caller: Caller,
    JsonBody(Source { source }): JsonBody<Source>,
) -> Result<Json<Edited>, ApiError> {
    caller.require_role(Role::Engineer)?;
    state
        .compute(move |limits| match minismith_score::read(&source) {
            Ok(score) => edited(score, Some(source), limits),
            Err(error) => {
                Edited { score: None, source: Some(source), plan: None, problem: Some(error.into()) }
            }
        })
        .await
}

/// Write steps as a source
///
/// Returns the source of a tool, and how a call without arguments runs. If the tool breaks a rule, `problem` says which
/// step does, and there is no source. Nothing is run or stored.
#[utoipa::path(post, path = "/api/v1/choreography/write", tag = "choreography", operation_id = "write_choreography",
    request_body = Written,
    responses(
        (status = 200, description = "The source, or the problem.", body = Edited),
        (status = 422, description = "The request body is invalid.", body = ErrorBody),
))]
async fn write_source(
    State(state): State<Arc<Choreography>>,
    caller: Caller,
    JsonBody(Written { score }): JsonBody<Written>,
) -> Result<Json<Edited>, ApiError> {
    caller.require_role(Role::Engineer)?;
    let score: Score = nested("body.score", &score)?;
    state.compute(move |limits| edited(score, None, limits)).await
}

/// Turn a recorded motion into steps
///
/// Each part gets a track with as few movements as stay near the recording. Stillness at both ends is left out.
#[utoipa::path(post, path = "/api/v1/choreography/fit", tag = "choreography", operation_id = "fit_choreography",
    request_body = Recording,
    responses(
        (status = 200, description = "The steps.", body = Fitted),
        (status = 422, description = "The request body is invalid, or the recording has no movement or is too long.",
            body = ErrorBody),
))]
async fn fit_recording(
    State(state): State<Arc<Choreography>>,
    caller: Caller,
    JsonBody(Recording { samples }): JsonBody<Recording>,
) -> Result<Json<Fitted>, ApiError> {
    caller.require_role(Role::Engineer)?;
    let unprocessable = |why: &str| ApiError::new(StatusCode::UNPROCESSABLE_ENTITY, why);
    let samples: Vec<RecordedSample> = nested("body.samples", &samples)?;
    if samples.len() > MAX_RECORDED {
        return Err(unprocessable(&format!(
            "a recording has at most {MAX_RECORDED} samples; record a shorter motion"
        )));
    }
    let Json(fitted) = state
        .compute(move |_| {
            let times: Vec<f64> = samples.iter().map(|sample| sample.at_s).collect();
            let postures: Vec<AxisValues> = samples
                .iter()
                .map(|sample| AxisValues::from_posture(&Posture::from(&sample.posture)))
                .collect();
            minismith_score::fit(&times, &postures)
        })
        .await?;
    let fitted = fitted.map_err(|error| unprocessable(&error.to_string()))?;
    Ok(Json(Fitted { steps: fitted.steps, tolerance: round_for_display(fitted.tolerance) }))
}

/// Which sound.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
struct WhichSound {
    /// The name of an uploaded sound, or of one that the official package brings.
    #[param(example = "wake_up.wav")]
    sound: String,
}

/// The beat of a sound.
#[derive(Serialize, ToSchema)]
struct SoundBeat {
    /// Beats per minute; `null` if the sound has no regular beat.
    per_minute: Option<f64>,
    /// When the first beat comes, seconds.
    first_s: Option<f64>,
    /// The duration of the sound, seconds.
    seconds: f64,
}

/// Find the beat of a sound
///
/// How many beats a minute of a sound has, so that a motion can be set to it.
#[utoipa::path(get, path = "/api/v1/choreography/beat", tag = "choreography", operation_id = "sound_beat",
    params(WhichSound),
    responses(
        (status = 200, description = "The beat.", body = SoundBeat),
        (status = 404, description = "There is no such sound.", body = ErrorBody),
        (status = 422, description = "The name is invalid, or the file is no sound.", body = ErrorBody),
))]
async fn sound_beat(
    State(state): State<Arc<Choreography>>,
    caller: Caller,
    QueryParams(WhichSound { sound }): QueryParams<WhichSound>,
) -> Result<Json<SoundBeat>, ApiError> {
    caller.require_role(Role::Viewer)?;
    let sounds = state.sounds.clone();
    let Json(found) = state
        .compute(move |_| {
            let clip = sounds.open(&sound)?;
            Ok::<_, SoundError>((beat(&clip), clip.duration()))
        })
        .await?;
    let (beat, duration) = found.map_err(|error| {
        let status = match error {
            SoundError::Missing(_) => StatusCode::NOT_FOUND,
            _ => StatusCode::UNPROCESSABLE_ENTITY,
        };
        ApiError::new(status, &error.to_string())
    })?;
    Ok(Json(SoundBeat {
        per_minute: beat.map(|beat| round_for_display(beat.per_minute)),
        first_s: beat.map(|beat| round_for_display(beat.first)),
        seconds: round_for_display(duration.as_secs_f64()),
    }))
}

impl Choreography {
    async fn compute<T: Send + 'static>(
        &self,
        compute: impl FnOnce(&Limits) -> T + Send + 'static,
    ) -> Result<Json<T>, ApiError> {
        let lost =
            || ApiError::new(StatusCode::INTERNAL_SERVER_ERROR, "the response was lost; send it again");
        let _permit = self.permits.acquire().await.map_err(|_| lost())?;
        let limits = self.control_loop.snapshot().limits;
        tokio::task::spawn_blocking(move || compute(&limits)).await.map(Json).map_err(|_| lost())
    }
}

fn edited(score: Score, source: Option<String>, limits: &Limits) -> Edited {
    let setting = Setting { stimuli: stimuli(&score.steps), ..Setting::default() };
    match minismith_score::compile(&score, &Arguments::new(), &setting) {
        Ok(timeline) => Edited {
            plan: Some(PlanReport::new(&score, &timeline, limits)),
            source: Some(source.unwrap_or_else(|| minismith_score::write(&score))),
            score: Some(score),
            problem: None,
        },
        Err(error) => Edited { score: Some(score), source, plan: None, problem: Some(error.into()) },
    }
}

/// Returns the events that the steps react to, again and again, so that each reaction is seen.
fn stimuli(steps: &[Step]) -> Stimuli {
    let mut events = BTreeSet::new();
    add_events(steps, &mut events);
    let seconds = |event: &Event| if *event == Event::Clap { CLAP_SECONDS } else { EVENT_SECONDS };
    let again = |event: Event| {
        let times = (0_u32..).map(|round| FIRST_EVENT + f64::from(round) * EVENT_PERIOD);
        times.take_while(|from| *from < MAX_SECONDS).map(move |from| EventSpan {
            event: event.clone(),
            from,
            to: from + seconds(&event),
        })
    };
    Stimuli::new(events.into_iter().flat_map(again).collect())
}

fn add_events(steps: &[Step], events: &mut BTreeSet<Event>) {
    for step in steps {
        events.extend(step.reaction().map(|(_, reaction)| reaction.event.clone()));
        add_events(step.inner(), events);
    }
}

impl From<ReadError> for Problem {
    fn from(ReadError { line, reason, hint }: ReadError) -> Self {
        Problem { line: Some(line), step: None, reason, hint }
    }
}

impl From<ScoreError> for Problem {
    fn from(ScoreError { step, reason, hint }: ScoreError) -> Self {
        Problem { line: None, step, reason, hint }
    }
}

impl PlanReport {
    fn new(score: &Score, timeline: &Timeline, limits: &Limits) -> Self {
        let mut parts = Vec::new();
        add_parts(&score.steps, &mut parts);
        let plan = Plan::new(timeline, limits);
        let stride = plan.samples.len().div_ceil(MAX_SAMPLES).max(1);
        let period_s = PERIOD.as_secs_f64() * stride as f64;
        let shown: Vec<&PlanSample> = plan.samples.iter().step_by(stride).collect();
        let speed = |samples: &[PlanSample]| {
            round_for_display(samples.iter().map(PlanSample::speed).fold(0.0, f64::max))
        };
        let course = |axis: &Axis| AxisCourse {
            axis: *axis,
            unit: axis.unit(),
            values: (0..shown.len())
                .map(|index| round_for_display(timeline.axes_at(index as f64 * period_s)[*axis]))
                .collect(),
        };
        let run = |run: &minismith_score::StepRun| RunReport {
            step: run.step,
            start_s: round_for_display(run.start),
            end_s: round_for_display(run.end),
            peak_speed: round_for_display(
                plan.peak_speed(run, parts.get(run.step).copied().unwrap_or(&Part::ALL)),
            ),
        };
        PlanReport {
            seconds: round_for_display(plan.seconds),
            runs: timeline.runs().iter().map(run).collect(),
            sounds: timeline.sounds().iter().map(SoundReport::from).collect(),
            unknown_moves: timeline.unknown_moves().to_vec(),
            clamps: plan.clamps.iter().map(ClampPlan::from).collect(),
            unreachable_s: plan.unreachable.map(round_for_display),
            period_s,
            axes: Axis::ALL.iter().filter(|axis| !timeline.pieces(**axis).is_empty()).map(course).collect(),
            speed: plan.samples.chunks(stride).map(speed).collect(),
            cycles: shown
                .iter()
                .map(|sample| PreviewSample::new(&sample.command, &sample.setpoint))
                .collect(),
        }
    }
}

/// Adds the parts that each step moves, outer steps before inner ones.
fn add_parts(steps: &[Step], parts: &mut Vec<&'static [Part]>) {
    for step in steps {
        parts.push(match step {
            Step::Move(movement) => match movement.part {
                Part::Head => &[Part::Head],
                Part::Antennas => &[Part::Antennas],
                Part::Body => &[Part::Body],
            },
            _ => &Part::ALL,
        });
        add_parts(step.inner(), parts);
    }
}

impl From<&(f64, String)> for SoundReport {
    fn from((at, name): &(f64, String)) -> Self {
        SoundReport { at_s: round_for_display(*at), name: name.clone() }
    }
}

impl From<&PlannedClamp> for ClampPlan {
    fn from(clamp: &PlannedClamp) -> Self {
        ClampPlan {
            joint: clamp.joint.name(),
            cause: cause_name(clamp.cause),
            from_s: round_for_display(clamp.from),
            to_s: round_for_display(clamp.to),
            most_deg: round_for_display(clamp.most_deg),
        }
    }
}

const fn cause_name(cause: ClampCause) -> &'static str {
    match cause {
        ClampCause::NotFinite => "not_finite",
        ClampCause::Position => "position",
        ClampCause::Velocity => "velocity",
        ClampCause::Acceleration => "acceleration",
        ClampCause::Jerk => "jerk",
        ClampCause::HeadPitchRoll => "head_pitch_roll",
        ClampCause::RelativeYaw => "relative_yaw",
        ClampCause::Singularity => "singularity",
    }
}
