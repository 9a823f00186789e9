//! Teleoperation: one person at a time leases the robot, and steers it for as long as the heart beats.
//!
//! `POST /api/v1/lease {"for": "gamepad", "heartbeat_ms": 500}` gives the lease's secret identifier to whoever asks, or 409
//! with who has it. From then on only this person moves the robot; a stop is everybody's. Every word of the owner is a
//! heartbeat, over REST (`/api/v1/lease/{id}/heartbeat`, `/target`, `/goto`) or, better, over the WebSocket
//! `/api/v1/lease/{id}/ws`. When none comes for the agreed time, when the WebSocket closes, or when the lease is given
//! back, the robot brakes and holds. A lease that has ended stays so: its identifier is worth nothing any more.
//!
//! Messages over the WebSocket are JSON: `{"type": "heartbeat", "sent": any}`, `{"type": "target", ...}`, `{"type": "goto",
//! "duration_s": 1, ...}`, `{"type": "stop"}` and `{"type": "release"}`, with the parts of a target as in [`Aim`]. Answers
//! are `{"type": "heartbeat", "sent", "doing", "beats"}` and `{"type": "refused", "why"}`.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use axum::Json;
use axum::extract::ws::{Message, WebSocket, WebSocketUpgrade};
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::any;
use firmware_bridge::motion::{self, Interpolation, Motion, Target, duration_from_seconds};
use firmware_bridge::posture::{Antennas, HeadPose, RollPitchYaw};
use firmware_bridge::pulse::Conductor;
use firmware_bridge::units::Radians;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::sync::{oneshot, watch};
use tokio::time::timeout;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;
use uuid::Uuid;

use super::caller::{Caller, Speaker};
use super::given::{Given, Refusal, Refused, object};
use minismith_control::mover::{Mover, Work};
use minismith_runtime::role::Role;

/// How long the heart may miss, milliseconds, where nothing else is agreed.
const USUAL_BEAT_MS: u64 = 500;

/// What may be agreed, milliseconds.
const BEATS_MS: std::ops::RangeInclusive<u64> = 100..=5000;

/// The longest message, bytes.
const LONGEST_MESSAGE: usize = 64 << 10;

/// A lease that is held.
struct Lease {
    id: Uuid,
    /// Who has it, and what for.
    owner: String,
    purpose: String,
    beat: Duration,
    /// Changes with every heartbeat; when it is dropped, the watch over the heart ends too.
    heart: watch::Sender<()>,
}

/// The lease of one body.
#[derive(Clone)]
pub(super) struct Leases {
    mover: Mover,
    held: Arc<Mutex<Option<Lease>>>,
}

/// Where the body is to go. What is left out stays where it was sent last; of the head, parts that are left out are
/// neutral as soon as one is given.
#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize, ToSchema)]
#[serde(default)]
struct Aim {
    /// Head, forward, millimetres from neutral.
    x_mm: Option<f64>,
    /// Head, left.
    y_mm: Option<f64>,
    /// Head, up.
    z_mm: Option<f64>,
    /// Head, leaning to its right, degrees.
    roll_deg: Option<f64>,
    /// Head, looking down.
    pitch_deg: Option<f64>,
    /// Head, turned left.
    yaw_deg: Option<f64>,
    /// Body, turned left.
    body_yaw_deg: Option<f64>,
    /// Right, left.
    antennas_deg: Option<[f64; 2]>,
}

impl Aim {
    fn target(&self) -> Result<Target, motion::Refusal> {
        let head = [self.x_mm, self.y_mm, self.z_mm, self.roll_deg, self.pitch_deg, self.yaw_deg];
        let [right, left] = self.antennas_deg.unwrap_or_default();
        let numbers = head.iter().flatten().chain(&self.body_yaw_deg).chain([&right, &left]);
        if !numbers.copied().all(f64::is_finite) {
            return Err(motion::Refusal::NotFinite { what: "a part of the target" });
        }
        let [x, y, z, roll, pitch, yaw] = head.map(Option::unwrap_or_default);
        let [roll, pitch, yaw, right, left] = [roll, pitch, yaw, right, left].map(Radians::from_degrees);
        let pose = HeadPose::new(x / 1000.0, y / 1000.0, z / 1000.0, RollPitchYaw { roll, pitch, yaw });
        Ok(Target {
            head: head.iter().any(Option::is_some).then_some(pose),
            body_yaw: self.body_yaw_deg.map(Radians::from_degrees),
            antennas: self.antennas_deg.map(|_| Antennas { right, left }),
        })
    }
}

/// Where the body is to go, and in which time.
#[derive(Debug, Deserialize, ToSchema)]
struct Goto {
    #[serde(flatten)]
    aim: Aim,
    /// How long it takes, seconds; more where the envelope needs it.
    duration_s: f64,
}

/// What the owner says.
#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Word {
    Heartbeat {
        #[serde(default)]
        sent: Value,
    },
    Target(Aim),
    Goto(Goto),
    Stop,
    Release,
}

/// What a lease is wanted for.
#[derive(Default, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
struct Wanted {
    /// What for, in a few words that others see.
    r#for: String,
    /// After how long without a word the robot holds; 500 where it is left out.
    #[schema(minimum = 100, maximum = 5000)]
    heartbeat_ms: Option<u64>,
    /// Takes it from whoever has it; an owner may, or the same person.
    take: bool,
}

pub(super) fn routes(mover: Mover) -> OpenApiRouter {
    OpenApiRouter::new()
        .routes(routes!(tell, begin))
        .routes(routes!(end))
        .routes(routes!(heartbeat))
        .routes(routes!(target))
        .routes(routes!(goto))
        .route("/api/v1/lease/{id}/ws", any(open))
        .with_state(Leases { mover, held: Arc::default() })
}

/// Who steers the robot, if anybody does.
#[derive(Serialize, ToSchema)]
struct Held {
    lease: Option<Holder>,
}

/// Who has the lease.
#[derive(Serialize, ToSchema)]
struct Holder {
    /// Under which name he asks.
    owner: String,
    /// What for.
    r#for: String,
    /// After how long without a word of his the robot holds.
    heartbeat_ms: u64,
}

/// A lease that was given.
#[derive(Serialize, ToSchema)]
struct Granted {
    /// Its secret identifier.
    lease: Uuid,
    owner: String,
    r#for: String,
    heartbeat_ms: u64,
}

/// It was heard.
#[derive(Serialize, ToSchema)]
struct Heard {
    status: &'static str,
}

type Answer = Result<Json<Heard>, Refused>;

const HEARD: Json<Heard> = Json(Heard { status: "ok" });

fn gone() -> Refused {
    Refused::because(StatusCode::GONE, "there is no such lease, or it has ended; ask for a new one")
}

fn conflict(refusal: &motion::Refusal) -> Refused {
    Refused::because(StatusCode::CONFLICT, &refusal.to_string())
}

impl Leases {
    fn lock(&self) -> MutexGuard<'_, Option<Lease>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Hears the owner's heart.
    fn beat(&self, id: Uuid, caller: &Caller) -> Result<(), Refused> {
        let held = self.lock();
        let lease = held.as_ref().filter(|lease| lease.id == id).ok_or_else(gone)?;
        if lease.owner != *caller.name {
            return Err(Refused::because(StatusCode::FORBIDDEN, "this is another person's lease"));
        }
        lease.heart.send_replace(());
        Ok(())
    }

    /// Ends a lease, if it is still held: the robot brakes and holds, and others may move it again.
    fn end(&self, id: Uuid) -> bool {
        let mut held = self.lock();
        let is_held = held.as_ref().is_some_and(|lease| lease.id == id);
        if is_held {
            *held = None;
            self.mover.leave();
        }
        is_held
    }

    async fn begin(&self, caller: &Caller, wanted: &Wanted, beat: Duration) -> Result<Uuid, Refused> {
        let id = Uuid::new_v4();
        let (heart, heard) = watch::channel(());
        {
            let mut held = self.lock();
            if let Some(lease) = held.as_ref() {
                let may_take = caller.role >= Role::Owner || lease.owner == *caller.name;
                if !(wanted.take && may_take) {
                    let why = format!("{} steers the robot ({})", lease.owner, lease.purpose);
                    return Err(Refused::because(StatusCode::CONFLICT, &why));
                }
                self.mover.leave();
            }
            let (owner, purpose) = (caller.name.to_string(), wanted.r#for.chars().take(100).collect());
            *held = Some(Lease { id, owner, purpose, beat, heart });
        }
        // From here on it ends also when whoever asks goes away meanwhile.
        tokio::spawn(self.clone().listen(id, heard, beat));
        let (tell, told) = oneshot::channel();
        // Whoever asked may have gone.
        self.mover.keep(move |taken| drop(tell.send(taken)));
        match told.await.unwrap_or(Err(motion::Refusal::Stopped)) {
            Ok(()) => Ok(id),
            Err(refusal) => {
                self.end(id);
                Err(conflict(&refusal))
            }
        }
    }

    /// Listens to the heart until the lease ends, and ends it when the heart misses.
    async fn listen(self, id: Uuid, mut heart: watch::Receiver<()>, beat: Duration) {
        while let Ok(Ok(())) = timeout(beat, heart.changed()).await {}
        if self.end(id) {
            tracing::warn!("a lease ended without a heartbeat; the robot holds");
        }
    }

    fn follow(&self, aim: &Aim) -> Result<(), String> {
        let target = aim.target().map_err(|refusal| refusal.to_string())?;
        self.mover.check(&target).map_err(|refusal| refusal.to_string())?;
        self.mover.follow(&target).map_err(|busy| busy.to_string())
    }

    fn go(&self, goto: &Goto) -> Result<(), String> {
        let motion = || {
            let target = goto.aim.target()?;
            self.mover.check(&target)?;
            let duration = duration_from_seconds(goto.duration_s)?;
            Ok(Motion::Goto { target, duration, interpolation: Interpolation::Minjerk })
        };
        let motion = motion().map_err(|refusal: motion::Refusal| refusal.to_string())?;
        let begun = self.mover.begin(Uuid::new_v4(), Work::Motions(vec![motion]), |_| {});
        begun.map_err(|busy| busy.to_string())
    }
}

/// Who steers the robot
///
/// While somebody has leased the robot, nobody else moves it; everybody may say stop.
#[utoipa::path(get, path = "/api/v1/lease", tag = "teleoperation", operation_id = "who_steers",
    responses((status = 200, description = "Who has the lease, if anybody.", body = Held)))]
async fn tell(State(leases): State<Leases>) -> Json<Held> {
    let held = leases.lock();
    let lease = held.as_ref().map(|lease| Holder {
        owner: lease.owner.clone(),
        r#for: lease.purpose.clone(),
        heartbeat_ms: u64::try_from(lease.beat.as_millis()).unwrap_or(u64::MAX),
    });
    Json(Held { lease })
}

/// Lease the robot
///
/// From then on every word of the owner is a heartbeat; when none comes for `heartbeat_ms`, the robot brakes and holds, and
/// the lease has ended. Quicker than these routes is the WebSocket `/api/v1/lease/{id}/ws`.
#[utoipa::path(post, path = "/api/v1/lease", tag = "teleoperation", operation_id = "lease", request_body = Wanted,
    responses(
        (status = 201, description = "The lease.", body = Granted),
        (status = 409, description = "Somebody else has it, or the robot can't be taken over now.", body = Refusal),
        (status = 422, description = "The body can't be used.", body = Refusal),
))]
async fn begin(
    State(leases): State<Leases>,
    caller: Caller,
    Given(wanted): Given<Wanted>,
) -> Result<Response, Refused> {
    let beat = wanted.heartbeat_ms.unwrap_or(USUAL_BEAT_MS);
    if !BEATS_MS.contains(&beat) {
        let why = format!("heartbeat_ms is from {} to {}", BEATS_MS.start(), BEATS_MS.end());
        return Err(super::given::unprocessable("body.heartbeat_ms", &why));
    }
    let id = leases.begin(&caller, &wanted, Duration::from_millis(beat)).await?;
    let owner = caller.name.to_string();
    let lease = Granted { lease: id, owner, r#for: wanted.r#for, heartbeat_ms: beat };
    Ok((StatusCode::CREATED, Json(lease)).into_response())
}

/// Give the lease back
///
/// The robot brakes and holds.
#[utoipa::path(delete, path = "/api/v1/lease/{id}", tag = "teleoperation", operation_id = "give_back",
    params(("id" = Uuid, Path, description = "The lease.")),
    responses(
        (status = 200, description = "It has ended.", body = Heard),
        (status = 410, description = "There is no such lease, or it has ended.", body = Refusal),
))]
async fn end(State(leases): State<Leases>, Path(id): Path<Uuid>, caller: Caller) -> Answer {
    leases.beat(id, &caller)?;
    leases.end(id);
    Ok(HEARD)
}

/// Keep the lease
#[utoipa::path(post, path = "/api/v1/lease/{id}/heartbeat", tag = "teleoperation", operation_id = "heartbeat",
    params(("id" = Uuid, Path, description = "The lease.")),
    responses(
        (status = 200, description = "It was heard.", body = Heard),
        (status = 410, description = "There is no such lease, or it has ended.", body = Refusal),
))]
async fn heartbeat(State(leases): State<Leases>, Path(id): Path<Uuid>, caller: Caller) -> Answer {
    leases.beat(id, &caller)?;
    Ok(HEARD)
}

/// Move towards a target at once
///
/// One of a stream of targets; each is reached within 50 ms where the envelope lets it.
#[utoipa::path(post, path = "/api/v1/lease/{id}/target", tag = "teleoperation", operation_id = "steer",
    params(("id" = Uuid, Path, description = "The lease.")), request_body = Aim,
    responses(
        (status = 200, description = "It is followed.", body = Heard),
        (status = 409, description = "It can't be followed now.", body = Refusal),
        (status = 410, description = "There is no such lease, or it has ended.", body = Refusal),
        (status = 422, description = "The body can't be used.", body = Refusal),
))]
async fn target(
    State(leases): State<Leases>,
    Path(id): Path<Uuid>,
    caller: Caller,
    Given(aim): Given<Aim>,
) -> Answer {
    leases.beat(id, &caller)?;
    leases.follow(&aim).map_err(|why| Refused::because(StatusCode::CONFLICT, &why))?;
    Ok(HEARD)
}

/// Move to a target in a given time
#[utoipa::path(post, path = "/api/v1/lease/{id}/goto", tag = "teleoperation", operation_id = "steer_to",
    params(("id" = Uuid, Path, description = "The lease.")), request_body = Goto,
    responses(
        (status = 200, description = "It has begun.", body = Heard),
        (status = 409, description = "It can't be begun now.", body = Refusal),
        (status = 410, description = "There is no such lease, or it has ended.", body = Refusal),
        (status = 422, description = "The body can't be used.", body = Refusal),
))]
async fn goto(
    State(leases): State<Leases>,
    Path(id): Path<Uuid>,
    caller: Caller,
    Given(goto): Given<Goto>,
) -> Answer {
    leases.beat(id, &caller)?;
    leases.go(&goto).map_err(|why| Refused::because(StatusCode::CONFLICT, &why))?;
    Ok(HEARD)
}

async fn open(
    State(leases): State<Leases>,
    Path(id): Path<Uuid>,
    speaker: Speaker,
    upgrade: WebSocketUpgrade,
) -> Result<Response, Refused> {
    leases.beat(id, &speaker.caller)?;
    Ok(upgrade.max_message_size(LONGEST_MESSAGE).on_upgrade(move |socket| steer(socket, leases, id, speaker)))
}

/// Lets the owner steer until one of them goes.
async fn steer(mut socket: WebSocket, leases: Leases, id: Uuid, speaker: Speaker) {
    let mut targets = 0_u64;
    while let Some(Ok(message)) = socket.recv().await {
        let text = match message {
            Message::Text(text) => text,
            Message::Close(_) => break,
            _ => continue,
        };
        let answer = match object::<Word>(text.as_bytes()) {
            Err((place, why)) => Some(json!({ "type": "refused", "why": format!("{place}: {why}") })),
            Ok(_) if leases.beat(id, &speaker.caller).is_err() => {
                Some(json!({ "type": "refused", "why": "the lease has ended" }))
            }
            Ok(Word::Release) => break,
            Ok(word) => {
                targets += u64::from(matches!(word, Word::Target(_)));
                leases.hear(&word)
            }
        };
        if let Some(answer) = answer
            && socket.send(Message::Text(answer.to_string().into())).await.is_err()
        {
            break;
        }
    }
    leases.end(id);
    speaker.note("/api/v1/lease: steered", &format!("{targets} targets"));
}

impl Leases {
    fn hear(&self, word: &Word) -> Option<Value> {
        let done = match word {
            Word::Heartbeat { sent } => {
                let snapshot = self.mover.pulse().snapshot();
                return Some(json!({
                    "type": "heartbeat", "sent": sent, "doing": snapshot.doing, "beats": snapshot.beats,
                }));
            }
            Word::Target(aim) => self.follow(aim),
            Word::Goto(goto) => self.go(goto),
            Word::Stop | Word::Release => {
                self.mover.halt();
                Ok(())
            }
        };
        done.err().map(|why| json!({ "type": "refused", "why": why }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_target_has_the_parts_that_were_given() {
        let aim = |text: &str| serde_json::from_str::<Aim>(text).unwrap().target();
        assert_eq!(aim("{}").unwrap(), Target::default());
        let target = aim(r#"{"yaw_deg": 20, "antennas_deg": [10, -10]}"#).unwrap();
        let head = target.head.unwrap();
        assert!((head.angles().yaw.degrees() - 20.0).abs() < 1e-9);
        assert_eq!((target.body_yaw, target.antennas.unwrap().left), (None, Radians::from_degrees(-10.0)));
    }
}
