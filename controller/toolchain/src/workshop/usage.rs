//! Usage statistics by version, and the quarantine of a tool that misbehaves.
//!
//! A failure to record is logged and never affects a finished run.

use std::collections::BTreeMap;

use firmware_bridge::clock::unix_seconds;
use rusqlite::Connection;
use serde::Serialize;
use utoipa::ToSchema;

use super::registry::database;
use super::registry::{Quarantine, Registry, RegistryError};
use crate::tool_run::Outcome;

/// The usage of one version, or of all versions of a tool.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, ToSchema)]
pub struct Usage {
    /// Number of runs.
    pub runs: u64,
    /// Number of runs that did not return.
    pub failures: u64,
    /// Number of cycles with a clamp.
    #[serde(rename = "trims")]
    pub clamps: u64,
    /// Total robot time, seconds.
    pub seconds: f64,
    /// Time of the last run, seconds since 1970. 0 means never.
    pub last_run: u64,
}

impl Usage {
    fn and(self, other: Usage) -> Usage {
        Usage {
            runs: self.runs + other.runs,
            failures: self.failures + other.failures,
            clamps: self.clamps + other.clamps,
            seconds: self.seconds + other.seconds,
            last_run: self.last_run.max(other.last_run),
        }
    }
}

/// The statistics of all tools, by name, then by version.
#[derive(Clone, Debug, Default)]
pub struct Statistics(BTreeMap<String, BTreeMap<u32, Usage>>);

impl Statistics {
    /// Returns the usage of one version.
    #[must_use]
    pub fn of_version(&self, name: &str, version: u32) -> Usage {
        self.0.get(name).and_then(|versions| versions.get(&version)).copied().unwrap_or_default()
    }

    /// Returns the usage of all versions of a tool.
    #[must_use]
    pub fn of_tool(&self, name: &str) -> Usage {
        let versions = self.0.get(name).into_iter().flat_map(BTreeMap::values);
        versions.fold(Usage::default(), |sum, usage| sum.and(*usage))
    }
}

/// One run to record.
#[derive(Clone, Copy, Debug)]
pub struct Run<'a> {
    /// Name of the tool.
    pub name: &'a str,
    /// Version.
    pub version: u32,
    /// How the run ended.
    pub outcome: &'a Outcome,
    /// Number of cycles with a clamp.
    pub clamps: u64,
    /// Duration in robot time, seconds.
    pub seconds: f64,
    /// A fault of the robot during the run.
    pub robot_fault: Option<&'a str>,
}

/// The assessment of a tool's behaviour in a run.
#[derive(Debug, PartialEq, Eq)]
enum RunVerdict {
    /// It behaved correctly. It may raise exceptions.
    Well,
    /// It must not happen often.
    Fault(String),
    /// It must never happen.
    Grave(String),
    /// A person or a missing host ended the run, so it does not count for the tool.
    NotItsOwn,
}

impl Run<'_> {
    fn verdict(&self) -> RunVerdict {
        if let Some(fault) = self.robot_fault {
            return RunVerdict::Fault(format!("the robot failed during the run: {fault}"));
        }
        match self.outcome {
            Outcome::Returned { .. } | Outcome::Raised { .. } => RunVerdict::Well,
            Outcome::Stopped { limit, reason } => match limit.as_str() {
                "stop" | "no_host" | "uncaged" => RunVerdict::NotItsOwn,
                "died" | "forged" => RunVerdict::Grave(reason.clone()),
                _ => RunVerdict::Fault(reason.clone()),
            },
        }
    }
}

impl Registry {
    /// Records a run. Returns the quarantine if the run causes one.
    pub fn executed(&self, run: &Run<'_>) -> Option<Quarantine> {
        if let Err(error) = database::open(self.root()).and_then(|connection| count(&connection, run)) {
            tracing::warn!(tool = run.name, %error, "this run is not in the statistics");
        }
        let judged: Result<Option<Quarantine>, RegistryError> = match run.verdict() {
            RunVerdict::Well => self.no_fault(run.name, run.version).map(|()| None),
            RunVerdict::Fault(reason) => self.fault(run.name, run.version, false, &reason),
            RunVerdict::Grave(reason) => self.fault(run.name, run.version, true, &reason),
            RunVerdict::NotItsOwn => Ok(None),
        };
        judged.unwrap_or_else(|error| {
            tracing::warn!(tool = run.name, %error, "the behaviour of this run could not be recorded");
            None
        })
    }

    /// Returns the statistics of all tools. A failure is logged and gives empty statistics.
    #[must_use]
    pub fn statistics(&self) -> Statistics {
        let read = database::open(self.root()).and_then(|connection| all(&connection));
        read.unwrap_or_else(|error| {
            tracing::warn!(%error, "no statistics of use");
            Statistics::default()
        })
    }
}

fn count(connection: &Connection, run: &Run<'_>) -> rusqlite::Result<()> {
    let failed = !matches!(run.outcome, Outcome::Returned { .. });
    let clamps = i64::try_from(run.clamps).unwrap_or(i64::MAX);
    let now = i64::try_from(unix_seconds()).unwrap_or(i64::MAX);
    connection.execute(
        "INSERT INTO usage VALUES (?1, ?2, 1, ?3, ?4, ?5, ?6)
         ON CONFLICT (tool, version) DO UPDATE SET runs = runs + 1, failures = failures + excluded.failures,
         trims = trims + excluded.trims, seconds = seconds + excluded.seconds, last_run = excluded.last_run",
        (run.name, run.version, i64::from(failed), clamps, run.seconds, now),
    )?;
    Ok(())
}

fn all(connection: &Connection) -> rusqlite::Result<Statistics> {
    let mut statement =
        connection.prepare("SELECT tool, version, runs, failures, trims, seconds, last_run FROM usage")?;
    let mut rows = statement.query([])?;
    let mut statistics = Statistics::default();
    while let Some(row) = rows.next()? {
        let number = |index| Ok::<u64, rusqlite::Error>(row.get::<_, i64>(index)?.try_into().unwrap_or(0));
        let usage = Usage {
            runs: number(2)?,
            failures: number(3)?,
            clamps: number(4)?,
            seconds: row.get(5)?,
            last_run: number(6)?,
        };
        statistics.0.entry(row.get(0)?).or_default().insert(row.get(1)?, usage);
    }
    Ok(statistics)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn stopped(limit: &str) -> Outcome {
        Outcome::Stopped { limit: limit.into(), reason: format!("over {limit}") }
    }

    #[test]
    fn conduct_counts_only_the_tools_own_faults() {
        fn run(outcome: &Outcome) -> Run<'_> {
            Run { name: "t", version: 1, outcome, clamps: 0, seconds: 1.0, robot_fault: None }
        }
        let returned = Outcome::Returned { value: json!(1) };
        assert_eq!(run(&returned).verdict(), RunVerdict::Well);
        assert_eq!(run(&stopped("stop")).verdict(), RunVerdict::NotItsOwn);
        assert_eq!(run(&stopped("died")).verdict(), RunVerdict::Grave("over died".into()));
        assert_eq!(run(&stopped("cpu_seconds")).verdict(), RunVerdict::Fault("over cpu_seconds".into()));
        let faulted = Run { robot_fault: Some("overload"), ..run(&returned) };
        assert!(matches!(faulted.verdict(), RunVerdict::Fault(reason) if reason.contains("overload")));
    }

    #[test]
    fn statistics_add_up_runs_by_version() {
        let connection = database::in_memory().unwrap();
        let (good, bad) = (Outcome::Returned { value: json!(1) }, stopped("died"));
        for (version, outcome) in [(1, &good), (1, &bad), (2, &good)] {
            let run = Run { name: "t", version, outcome, clamps: 3, seconds: 0.5, robot_fault: None };
            count(&connection, &run).unwrap();
        }
        let statistics = all(&connection).unwrap();
        let one = statistics.of_version("t", 1);
        assert_eq!((one.runs, one.failures, one.clamps, one.seconds), (2, 1, 6, 1.0));
        assert!(one.last_run > 1_700_000_000);
        assert_eq!(statistics.of_tool("t").runs, 3);
        assert_eq!(statistics.of_tool("other"), Usage::default());
    }
}
