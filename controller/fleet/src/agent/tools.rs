//! Tools that travel: shared as signed bundles, imported by the controller's own path, and withdrawn.
//!
//! A bundle is what `minismith tool export` writes. The receiver runs `minismith tool import`: signature, policy, rehearsal on its
//! own simulated robot with its own limits, review. Which signers are trusted is `workshop.trusted_signers` in the receiver's
//! configuration, which only a person edits; no message can change it.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use zenoh::handlers::FifoChannelHandler;
use zenoh::pubsub::Subscriber;
use zenoh::query::Query;
use zenoh::sample::{Sample, SampleKind};

use super::shared::{Agent, Request, lock};
use super::store::FleetTool;
use crate::identity::files;
use crate::identity::proof::{self, Proof};
use crate::keys::{Keys, Name, is_tool_name, last_of, robot_of};
use crate::messages::{Outcome, Refusal, Reply, Withdrawal};
use crate::session::in_words;

/// The largest bundle, bytes; the same limit as that of `minismith tool import`.
const MAX_BUNDLE_BYTES: usize = 16 << 20;

/// How long a robot may take to send a bundle.
const TRANSFER_TIMEOUT: Duration = Duration::from_secs(30);

/// How long a robot may take to send its withdrawals.
const WITHDRAWALS_TIMEOUT: Duration = Duration::from_secs(3);

/// The longest list of withdrawals that is read, bytes: [`Withdrawal::MAX_COUNT`] with their proofs.
const MAX_WITHDRAWALS_BYTES: usize = 8 << 20;

/// The most tools of the fleet on one robot.
const MAX_TOOLS: usize = 256;

/// Returns the file of a bundle in the robot's folder.
fn bundle_of(agent: &Agent, direction: &str, tool: &str) -> PathBuf {
    agent.options.folder.join(direction).join(format!("{tool}.bundle"))
}

/// Returns the hash of the code of a tool's active version.
async fn code_hash(agent: &Agent, tool: &str) -> Result<String, String> {
    let shown =
        agent.controller.get(&format!("/api/v1/tools/{tool}")).await.map_err(|error| error.to_string())?;
    let hash = shown.pointer("/manifest/code_sha256").and_then(Value::as_str);
    hash.map(str::to_owned).ok_or_else(|| format!("the controller does not tell the hash of {tool}"))
}

/// Offers a tool of this robot to the fleet.
pub async fn share(agent: &Arc<Agent>, request: &Request, tool: &str) -> Reply {
    match try_share(agent, tool).await {
        Ok(document) => done(agent, request, document),
        Err(reason) => refused(agent, request, reason),
    }
}

async fn try_share(agent: &Agent, tool: &str) -> Result<Value, String> {
    let minismith =
        agent.minismith.as_ref().ok_or("this robot has no program `minismith` beside its agent")?;
    let code_sha256 = code_hash(agent, tool).await?;
    if is_withdrawn(agent, tool, &code_sha256) {
        return Err(format!("this version of {tool} was withdrawn from the fleet"));
    }
    let out = bundle_of(agent, "shared", tool);
    if let Some(folder) = out.parent() {
        files::make_private_folder(folder).map_err(|error| error.to_string())?;
    }
    let document = minismith.export(tool, &out).await.map_err(|error| error.to_string())?;
    remember(
        agent,
        FleetTool { name: tool.to_owned(), code_sha256: code_sha256.clone(), from: None, is_shared: true },
    )?;
    let signer = document.get("signer").cloned().unwrap_or_default();
    let names = in_list(document.get("tools"));
    let text = format!("{names} can be imported, signed by {}", signer.as_str().unwrap_or_default());
    Ok(json!({
        "text": text, "tool": tool, "code_sha256": code_sha256, "signer": signer, "tools": document.get("tools"),
    }))
}

/// Adds a tool to the memory, in place of an entry of the same name.
fn remember(agent: &Agent, tool: FleetTool) -> Result<(), String> {
    let mut store = lock(&agent.store);
    let is_new = !store.memory.tools.iter().any(|one| one.name == tool.name);
    if is_new && store.memory.tools.len() >= MAX_TOOLS {
        return Err(format!("this robot has {MAX_TOOLS} tools of the fleet, the most that are permitted"));
    }
    store.change(|memory| {
        memory.tools.retain(|one| one.name != tool.name);
        memory.tools.push(tool);
    });
    Ok(())
}

/// Sends the bundle of a shared tool.
pub async fn send(agent: Arc<Agent>, query: Query) {
    let tool = last_of(query.key_expr().as_str()).to_owned();
    let is_shared = || lock(&agent.store).memory.tools.iter().any(|one| one.name == tool && one.is_shared);
    if !is_tool_name(&tool) || !is_shared() {
        let _refused = query.reply_err(format!("{} shares no tool of this name", agent.options.robot)).await;
        return;
    }
    let path = bundle_of(&agent, "shared", &tool);
    match tokio::fs::read(&path).await {
        Ok(bundle) => {
            let _sent = query.reply(agent.keys.tool(&tool), bundle).await;
        }
        Err(error) => {
            tracing::warn!("the bundle {} cannot be read: {error}", path.display());
            let _refused = query.reply_err("the bundle cannot be read").await;
        }
    }
}

/// Imports a tool that another robot shares.
pub async fn get(agent: &Arc<Agent>, request: &Request, tool: &str, from: &Name) -> Reply {
    let Ok(_place) = agent.imports.try_acquire() else {
        return agent.refuse(
            Some(request.command.id),
            request.received_ms,
            Refusal::Busy,
            "other tools are being imported; try again later".into(),
        );
    };
    let _alone = agent.importing.lock().await;
    match try_get(agent, tool, from).await {
        Ok(document) => {
            let message = format!("{tool} was imported from {from}");
            agent.report("tool_imported", Some(&request.caller), message).await;
            done(agent, request, document)
        }
        Err(reason) => refused(agent, request, reason),
    }
}

async fn try_get(agent: &Arc<Agent>, tool: &str, from: &Name) -> Result<Value, String> {
    let minismith =
        agent.minismith.as_ref().ok_or("this robot has no program `minismith` beside its agent")?;
    if *from == agent.options.robot {
        return Err(format!("{tool} is this robot's own tool"));
    }
    let bundle = fetch(agent, tool, from).await?;
    let path = bundle_of(agent, "received", tool);
    if let Some(folder) = path.parent() {
        files::make_private_folder(folder).map_err(|error| error.to_string())?;
    }
    tokio::fs::write(&path, &bundle).await.map_err(|error| format!("cannot store the bundle: {error}"))?;
    let imported = minismith.import(&path).await;
    let _removed = tokio::fs::remove_file(&path).await;
    let document = imported.map_err(|error| error.to_string())?;
    let tools = document.get("imported").and_then(Value::as_array).cloned().unwrap_or_default();
    for name in tools.iter().filter_map(|tool| tool.get("name")?.as_str()) {
        let code_sha256 = code_hash(agent, name).await?;
        let is_bad = is_withdrawn(agent, name, &code_sha256);
        remember(
            agent,
            FleetTool { name: name.to_owned(), code_sha256, from: Some(from.clone()), is_shared: false },
        )?;
        if is_bad {
            disable(agent, name, "a withdrawal").await?;
            return Err(format!("{name} was withdrawn from the fleet; it is stored here and disabled"));
        }
    }
    // What the receiver found out, without its whole report.
    let found = |key: &str| document.get(key).cloned().unwrap_or_default();
    let text = format!("imported {}", in_list(Some(&found("imported"))));
    Ok(json!({
        "text": text, "imported": found("imported"), "signer": found("signer"), "trusted": found("trusted"), "from": from,
    }))
}

/// Returns the names and versions of tools in a document of `minismith tool`, and which of them a person must approve.
fn in_list(tools: Option<&Value>) -> String {
    let tools = tools.and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let in_words = |tool: &Value| {
        let name = tool.get("name").and_then(Value::as_str).unwrap_or_default();
        let version = tool.get("version").and_then(Value::as_u64).unwrap_or_default();
        let needs_approval = tool.get("needs_approval").and_then(Value::as_bool).unwrap_or_default();
        let approval = if needs_approval { " (a person must approve it on this robot)" } else { "" };
        format!("{name} v{version}{approval}")
    };
    tools.iter().map(in_words).collect::<Vec<_>>().join(", ")
}

/// Reads a bundle of another robot.
async fn fetch(agent: &Agent, tool: &str, from: &Name) -> Result<Vec<u8>, String> {
    let key = Keys::of(&agent.options.fleet, from).tool(tool);
    let replies =
        agent.session.get(&key).timeout(TRANSFER_TIMEOUT).await.map_err(|error| in_words(&error))?;
    let reply =
        replies.recv_async().await.map_err(|_| format!("{from} is not present, or shares no {tool}"))?;
    match reply.result() {
        Ok(sample) if sample.key_expr().as_str() != key => Err(format!("{from} sent something else")),
        Ok(sample) if sample.payload().len() > MAX_BUNDLE_BYTES => Err(format!(
            "the bundle is too large: {} bytes, {MAX_BUNDLE_BYTES} allowed",
            sample.payload().len()
        )),
        Ok(sample) => Ok(sample.payload().to_bytes().into_owned()),
        Err(error) => {
            let text: String =
                String::from_utf8_lossy(&error.payload().to_bytes()).chars().take(200).collect();
            Err(text)
        }
    }
}

fn is_withdrawn(agent: &Agent, tool: &str, code_sha256: &str) -> bool {
    let store = lock(&agent.store);
    store.memory.withdrawn.iter().any(|one| one.tool == tool && one.code_sha256 == code_sha256)
}

/// Returns the withdrawals in a command.
#[must_use]
pub fn withdrawals(
    tool: &str,
    code_sha256: &[String],
    certificate: Option<&str>,
    signatures: &[String],
) -> Vec<Withdrawal> {
    let proof = |at: usize| {
        let (certificate, signature) = certificate.zip(signatures.get(at))?;
        Some(Proof { certificate: certificate.to_owned(), signature: signature.clone() })
    };
    let withdrawal = |(at, hash): (usize, &String)| Withdrawal {
        tool: tool.to_owned(),
        code_sha256: hash.clone(),
        proof: proof(at),
    };
    code_sha256.iter().enumerate().map(withdrawal).collect()
}

/// Verifies that an operator has withdrawn it. In a fleet without certificates, which is on one computer, there is no proof.
fn verify_withdrawal(agent: &Agent, withdrawal: &Withdrawal) -> Result<(), String> {
    let Some(identity) = &agent.identity else { return Ok(()) };
    let Withdrawal { tool, code_sha256, proof } = withdrawal;
    let proof = proof.as_ref().ok_or("it has no proof of an operator")?;
    proof::verify(identity, tool, code_sha256, proof).map(drop)
}

/// Withdraws versions of a tool: those that are here are disabled, and the withdrawal is passed on to robots that return.
pub async fn withdraw(
    agent: &Arc<Agent>,
    request: &Request,
    tool: &str,
    mut withdrawals: Vec<Withdrawal>,
) -> Reply {
    // The router has let an operator pass, so it holds here in any case. Other robots believe a proof alone.
    for withdrawal in &mut withdrawals {
        if let Err(reason) = verify_withdrawal(agent, withdrawal) {
            tracing::warn!("a withdrawal of {tool} by {} holds here only: {reason}", request.caller);
            withdrawal.proof = None;
        }
    }
    match apply(agent, withdrawals, &request.caller).await {
        Ok(disabled) => {
            let text = if disabled.is_empty() {
                "nothing of it was enabled here".into()
            } else {
                format!("disabled {}", disabled.join(", "))
            };
            done(agent, request, json!({ "text": text, "tool": tool, "disabled": disabled }))
        }
        Err(reason) => {
            let reply = agent.reply(Some(request.command.id), request.received_ms, Outcome::Failed);
            Reply { reason: Some(reason), ..reply }
        }
    }
}

/// Remembers withdrawals and disables what they concern. Only what the fleet brought, or what this robot shared, is disabled:
/// a withdrawal never touches a tool that a person made here and shared with nobody.
async fn apply(agent: &Arc<Agent>, withdrawals: Vec<Withdrawal>, by: &str) -> Result<Vec<String>, String> {
    let concerned = {
        let mut store = lock(&agent.store);
        let is_known = |one: &Withdrawal| store.memory.withdrawn.iter().any(|known| known.is_same(one));
        let (again, new): (Vec<Withdrawal>, Vec<Withdrawal>) = withdrawals.into_iter().partition(is_known);
        // One that was known without a proof can be passed on with it.
        let new_proof = |known: &Withdrawal| {
            let proof = again.iter().find(|one| one.is_same(known))?.proof.clone();
            proof.filter(|_| known.proof.is_none())
        };
        if store.memory.withdrawn.iter().any(|known| new_proof(known).is_some()) {
            store.change(|memory| {
                for known in &mut memory.withdrawn {
                    known.proof = known.proof.take().or_else(|| new_proof(known));
                }
            });
        }
        if store.memory.withdrawn.len() + new.len() > Withdrawal::MAX_COUNT {
            return Err(format!(
                "this robot knows {} withdrawals, the most that it stores",
                Withdrawal::MAX_COUNT
            ));
        }
        let is_new = |tool: &FleetTool| {
            new.iter().any(|one| one.tool == tool.name && one.code_sha256 == tool.code_sha256)
        };
        let concerned: Vec<FleetTool> =
            store.memory.tools.iter().filter(|tool| is_new(tool)).cloned().collect();
        if !new.is_empty() {
            store.change(|memory| {
                memory.withdrawn.extend(new);
                for tool in &mut memory.tools {
                    tool.is_shared &= !concerned.contains(tool);
                }
            });
        }
        concerned
    };
    let mut disabled = Vec::new();
    for tool in concerned {
        // A newer version that the owner made meanwhile is another tool.
        if code_hash(agent, &tool.name).await.is_ok_and(|hash| hash != tool.code_sha256) {
            continue;
        }
        disable(agent, &tool.name, by).await?;
        agent
            .report("tool_withdrawn", Some(by), format!("{} is disabled: it was withdrawn", tool.name))
            .await;
        disabled.push(tool.name);
    }
    Ok(disabled)
}

/// Disables a tool through the controller, or where its token has no right to, through the program.
async fn disable(agent: &Agent, tool: &str, by: &str) -> Result<(), String> {
    let through = agent.controller.post(&format!("/api/v1/tools/{tool}/deactivate"), &json!({})).await;
    let Err(error) = through else { return Ok(()) };
    let minismith = agent.minismith.as_ref().ok_or_else(|| error.to_string())?;
    minismith.deactivate(tool, &format!("fleet: {by}")).await.map(drop).map_err(|error| error.to_string())
}

/// What reports each robot that appears.
type Appearing = Subscriber<FifoChannelHandler<Sample>>;

/// Declares what [`follow_withdrawals`] follows.
///
/// # Errors
/// If the session is closed.
pub async fn declare_appearing(agent: &Agent) -> zenoh::Result<Appearing> {
    let alive = Keys::all(&agent.options.fleet).of_kind("alive");
    agent.session.liveliness().declare_subscriber(alive).history(true).await
}

/// Asks every robot that appears for the withdrawals that it knows. So a robot that was away learns of them on its return.
pub async fn follow_withdrawals(agent: Arc<Agent>, appearing: Appearing) {
    while let Ok(sample) = appearing.recv_async().await {
        let robot = robot_of(sample.key_expr().as_str());
        let Some(robot) = robot.filter(|robot| *robot != agent.options.robot) else { continue };
        if sample.kind() == SampleKind::Put {
            let mut learned = withdrawals_of(&agent, &robot).await;
            // Most are known already, and to verify one takes reading a file and two signatures.
            forget_known(&agent, &mut learned);
            learned.retain(|withdrawal| {
                let verified = verify_withdrawal(&agent, withdrawal);
                if let Err(reason) = &verified {
                    let Withdrawal { tool, .. } = withdrawal;
                    tracing::warn!("a withdrawal of {tool} that {robot} passed on was ignored: {reason}");
                }
                verified.is_ok()
            });
            if let Err(reason) = apply(&agent, learned, robot.as_str()).await {
                tracing::warn!("a withdrawal of {robot} was not carried out: {reason}");
            }
        }
    }
}

/// Removes what this robot knows, unless it has no proof of it yet.
fn forget_known(agent: &Agent, withdrawals: &mut Vec<Withdrawal>) {
    let store = lock(&agent.store);
    let known = &store.memory.withdrawn;
    withdrawals.retain(|one| {
        let is_known =
            |known: &Withdrawal| known.is_same(one) && (known.proof.is_some() || one.proof.is_none());
        !known.iter().any(is_known)
    });
}

async fn withdrawals_of(agent: &Agent, robot: &Name) -> Vec<Withdrawal> {
    let key = Keys::of(&agent.options.fleet, robot).of_kind("withdrawn");
    let Ok(replies) = agent.session.get(&key).timeout(WITHDRAWALS_TIMEOUT).await else { return Vec::new() };
    let mut learned: Vec<Withdrawal> = Vec::new();
    while let Ok(reply) = replies.recv_async().await {
        let Ok(sample) = reply.result() else { continue };
        if sample.payload().len() > MAX_WITHDRAWALS_BYTES {
            tracing::warn!("the withdrawals of {robot} are too long and were not read");
            continue;
        }
        let read: Result<Vec<Withdrawal>, _> = serde_json::from_slice(&sample.payload().to_bytes());
        match read {
            Ok(read) => {
                learned.extend(read.into_iter().take(Withdrawal::MAX_COUNT).filter(Withdrawal::is_valid))
            }
            Err(error) => tracing::warn!("the withdrawals of {robot} are damaged: {error}"),
        }
    }
    learned
}

fn done(agent: &Agent, request: &Request, result: Value) -> Reply {
    let reply = agent.reply(Some(request.command.id), request.received_ms, Outcome::Done);
    Reply { result: Some(result), ..reply }
}

fn refused(agent: &Agent, request: &Request, reason: String) -> Reply {
    agent.refuse(Some(request.command.id), request.received_ms, Refusal::Controller, reason)
}
