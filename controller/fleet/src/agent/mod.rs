//! The agent of one robot ([`run`]): presence, state, events and commands of a fleet for one controller.
//!
//! ```text
//! Zenoh --query--> callback: size, budget, schema, freshness --> stop, say, tools --HTTP--> controller
//!    ^--------- state, status, events, camera <---------WebSocket, HTTP-----------------------'
//! ```
//!
//! Threads: Zenoh's callbacks decide and never wait; tasks talk to the controller. Everything that a peer can send is bounded
//! before it is read, and this process has a lower priority than the controller, so a flood takes no time of its control loop.
//! Safety: a stop needs no queue and no budget of other commands. It holds until a release, also over a restart.
//!
//! Reading order: [`guard`] (which commands act), [`store`], this file, [`requests`] (what arrives), [`execute`] (what is done),
//! [`hold`] (after a stop), [`tools`], [`publish`].

mod execute;
mod guard;
mod hold;
pub mod options;
mod publish;
mod requests;
mod shared;
mod store;
mod tools;

use std::sync::Arc;
use std::time::Duration;

use zenoh::Session;

use crate::controller::Controller;
use crate::keys::Keys;
use crate::programs::Minismith;
use crate::session::{Link, Patience};
use options::{JoinError, Options};
use shared::Agent;
use store::Store;

/// How long a former agent of the same name may take to disappear.
const SUCCESSION_TIMEOUT: Duration = Duration::from_secs(4);

/// How much lower than the controller's the priority of this process is.
const NICENESS: i32 = 5;

/// Runs the agent until the future `ended`. `joined` is called when the robot is present.
///
/// # Errors
/// [`JoinError`] says why it cannot join.
pub async fn run(
    options: Options,
    link: &Link,
    joined: impl FnOnce(),
    ended: impl Future<Output = ()>,
) -> Result<(), JoinError> {
    // The control loop of the controller comes first.
    let _lower = rustix::process::nice(NICENESS);
    let controller = Controller::new(&options.controller, options.token.as_deref())?;
    let minismith = Minismith::beside(options.config.as_deref())
        .inspect_err(|error| tracing::warn!("tools cannot travel: {error}"))
        .ok();
    let store = Store::open(&options.folder)?;
    tokio::pin!(ended);
    let session = tokio::select! {
        session = link.open(Patience::Retry) => session?,
        () = &mut ended => return Ok(()),
    };
    let keys = Keys::of(&options.fleet, &options.robot);
    tokio::select! {
        free = wait_until_free(&session, &keys, &options) => free?,
        () = &mut ended => return Ok(()),
    }
    let identity = link.identity.clone();
    let agent = Agent::new(options, keys, session.clone(), controller, minismith, store, identity).await?;
    let agent = Arc::new(agent);
    let publish::Publishers { state, status, camera } = publish::declare(&agent).await?;
    let appearing = tools::declare_appearing(&agent).await?;
    let declared = requests::declare(&agent).await?;
    let mut tasks = vec![
        tokio::spawn(hold::run(agent.clone())),
        tokio::spawn(publish::state(agent.clone(), state)),
        tokio::spawn(publish::status(agent.clone(), status)),
        tokio::spawn(tools::follow_withdrawals(agent.clone(), appearing)),
    ];
    tasks.extend(camera.map(|camera| tokio::spawn(publish::camera(agent.clone(), camera))));
    // Declared last: a robot that is present responds.
    let token = session.liveliness().declare_token(agent.keys.of_kind("alive")).await?;
    joined();
    ended.await;
    tasks.iter().for_each(tokio::task::JoinHandle::abort);
    let _gone = token.undeclare().await;
    drop(declared);
    let _closed = session.close().await;
    Ok(())
}

/// Waits until no other agent has the name: one that was killed is known for a moment longer.
async fn wait_until_free(session: &Session, keys: &Keys, options: &Options) -> Result<(), JoinError> {
    let attempts = 8;
    for attempt in 0..attempts {
        let found =
            session.liveliness().get(keys.of_kind("alive")).timeout(SUCCESSION_TIMEOUT / attempts).await?;
        let mut is_taken = false;
        while let Ok(reply) = found.recv_async().await {
            is_taken |= reply.result().is_ok();
        }
        if !is_taken {
            return Ok(());
        }
        if attempt + 1 < attempts {
            tokio::time::sleep(SUCCESSION_TIMEOUT / attempts).await;
        }
    }
    Err(JoinError::NameTaken { robot: options.robot.clone(), fleet: options.fleet.clone() })
}
