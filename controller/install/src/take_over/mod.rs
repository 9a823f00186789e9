//! Takes the robot's own computer over from the official software, and gives it back.
//!
//! The official daemon's unit is a file in `/etc/systemd/system`, so `systemctl mask` refuses it, and the start-up check
//! of the daemon rewrites the file. A drop-in survives both: it holds a condition that fails while our own unit is
//! enabled. So one link decides who owns the robot, and it is the last change of a take-over and the first of a
//! give-back. If our package is removed, the official daemon starts again.
//!
//! Neither the unit files nor `/venvs` are touched; `SOFTWARE_RESET.sh` may wipe the latter at any time.

mod record;

use std::path::{Path, PathBuf};

use rustix::process::geteuid;
use serde::Serialize;

use crate::image::{self, DAEMON, OfficialImage, SERVICE, UNITS};
use crate::systemctl::{Systemctl, SystemctlError};
use crate::tree::{Entry, Tree, TreeError};
use crate::units::is_name;
use record::{Change, Contents, FILE, FOLDER, Progress, Record, RecordError, is_ours};

/// Called after each change with what was done. An error ends the command there, as a crash would.
pub type OnStep<'a> = &'a mut dyn FnMut(&str) -> std::io::Result<()>;

/// Whose the robot is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Owner {
    /// There is no official software on this computer.
    Nobody,
    /// The official daemon starts.
    Official,
    /// Minismith starts.
    Minismith,
    /// A command was interrupted, or something was changed since.
    Undecided,
}

/// What a command has done, or would do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Outcome {
    /// Whose the robot is now.
    pub owner: Owner,
    /// The version of the official software.
    pub official_version: Option<String>,
    /// What was done, or would be done.
    pub steps: Vec<String>,
    /// What to know besides.
    pub notes: Vec<String>,
}

/// A command that was refused or has failed.
#[derive(Debug, thiserror::Error)]
pub enum TakeOverError {
    /// The user may not do this.
    #[error("only root may change who starts at boot; repeat the command with sudo, or add --dry-run")]
    NotRoot,
    /// There is no service manager.
    #[error("systemd does not run on this computer; --root DIR works on the files of another one")]
    NoSystemd,
    /// The official software is not there.
    #[error(
        "there is no unit {DAEMON}, so there is nothing to take over; `systemctl enable --now {SERVICE}` starts Minismith at boot"
    )]
    NoOfficialUnit,
    /// The official software is another one.
    #[error(
        "the official software has {}, and only versions 1.x were looked at; --any-version takes over all the same, and \
         `minismith give-back` undoes it",
        .0.as_ref().map_or_else(|| "no version in /venvs/mini_daemon".to_owned(), |version| format!("version {version}"))
    )]
    UnknownVersion(Option<String>),
    /// Our own unit is missing.
    #[error(
        "{SERVICE} is not installed; install the Debian package of Minismith, or copy its unit to /{UNITS}"
    )]
    NotInstalled,
    /// Our own unit cannot be used.
    #[error("{SERVICE} {0}; look at it with `systemctl cat {SERVICE}`, and install it again")]
    Unusable(&'static str),
    /// Something is in the way.
    #[error("{} is in the way: it is not ours; move it elsewhere and repeat the command", .0.display())]
    Foreign(PathBuf),
    /// Nothing says what is to be undone.
    #[error(
        "the record {} is missing, but drop-ins of a take-over are there; `minismith take-over` makes a new record, then \
         repeat this command",
        .0.display()
    )]
    NoRecord(PathBuf),
    /// The other command was interrupted.
    #[error("`minismith give-back` was interrupted; repeat it, or run `minismith take-over`")]
    GivingBack,
    /// A record cannot be used.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// A file cannot be read or changed.
    #[error(transparent)]
    Tree(#[from] TreeError),
    /// The service manager has failed.
    #[error(transparent)]
    Systemctl(#[from] SystemctlError),
    /// The command was ended.
    #[error("interrupted: {0}; repeat the command, or run the other one")]
    Interrupted(#[from] std::io::Error),
}

impl TakeOverError {
    /// Returns whether it is an answer, and no error of usage or environment.
    #[must_use]
    pub const fn is_refusal(&self) -> bool {
        matches!(
            self,
            TakeOverError::NoOfficialUnit
                | TakeOverError::UnknownVersion(_)
                | TakeOverError::NotInstalled
                | TakeOverError::Unusable(_)
                | TakeOverError::Foreign(_)
                | TakeOverError::NoRecord(_)
                | TakeOverError::GivingBack
        )
    }
}

/// The files of a computer, and its service manager.
#[derive(Debug)]
pub struct Computer {
    tree: Tree,
    systemctl: Systemctl,
}

/// What is to be done to take over.
struct Plan {
    image: OfficialImage,
    contents: Contents,
    /// The drop-ins and folders that are missing.
    drop_ins: Vec<Change>,
    /// What is missing to enable our unit; empty if it is enabled.
    enabling: Vec<Change>,
    /// What is there already, and ours by its content.
    ours: Vec<Change>,
}

impl Computer {
    /// Returns this computer. Changing something needs root and a running systemd.
    ///
    /// # Errors
    /// Where something is to be changed and cannot be.
    pub fn this(systemctl: Option<PathBuf>, changes: bool) -> Result<Self, TakeOverError> {
        let runs = Path::new("/run/systemd/system").is_dir();
        if changes && !geteuid().is_root() {
            return Err(TakeOverError::NotRoot);
        }
        if changes && !runs && systemctl.is_none() {
            return Err(TakeOverError::NoSystemd);
        }
        let systemctl = systemctl.or_else(|| runs.then(|| "systemctl".into()));
        Ok(Computer { tree: Tree::open(Path::new("/"))?, systemctl: Systemctl(systemctl) })
    }

    /// Returns the computer whose files are below a folder. No service manager is asked, unless one is named.
    ///
    /// # Errors
    /// When there is no such folder.
    pub fn at(root: &Path, systemctl: Option<PathBuf>) -> Result<Self, TakeOverError> {
        Ok(Computer { tree: Tree::open(root)?, systemctl: Systemctl(systemctl) })
    }

    /// Returns whose the robot is, by the files.
    ///
    /// # Errors
    /// When they cannot be read.
    pub fn owner(&self) -> Result<Owner, TakeOverError> {
        let Some(image) = OfficialImage::find(&self.tree)? else { return Ok(Owner::Nobody) };
        let mut blocked = 0;
        for unit in &image.starters {
            let path = Change::DropIn { unit: unit.clone() }.path();
            blocked += usize::from(is_ours(&self.tree, &path)? == Some(true));
        }
        let is_enabled = match self.service() {
            Ok((contents, _)) => self.tree.entry(&enabled_link(&contents.target))? != Entry::Missing,
            Err(TakeOverError::Tree(error)) => return Err(error.into()),
            Err(_) => false,
        };
        Ok(match (blocked, is_enabled) {
            (0, _) => Owner::Official,
            (blocked, true) if blocked == image.starters.len() => Owner::Minismith,
            _ => Owner::Undecided,
        })
    }

    /// Returns the units that run, of the official software and ours; none without a service manager.
    ///
    /// # Errors
    /// When the files cannot be read, or systemd cannot be asked.
    pub fn running(&self) -> Result<Vec<String>, TakeOverError> {
        let image = OfficialImage::find(&self.tree)?;
        let official = image.map(|image| image.starters).unwrap_or_default();
        let mut running = Vec::new();
        for unit in official.into_iter().chain([SERVICE.to_owned()]) {
            if self.systemctl.is_active(&unit)? == Some(true) {
                running.push(unit);
            }
        }
        Ok(running)
    }

    /// Returns what our own unit says, and the file of it.
    fn service(&self) -> Result<(Contents, String), TakeOverError> {
        let unit = image::find(&self.tree, SERVICE)?.ok_or(TakeOverError::NotInstalled)?;
        let path = image::path_of(&self.tree, SERVICE)?.ok_or(TakeOverError::NotInstalled)?;
        let program = unit.program().ok_or(TakeOverError::Unusable("is masked, or starts no program"))?;
        let targets = unit.values("Install", "WantedBy");
        let target = targets.into_iter().flat_map(str::split_whitespace).next();
        let target = target
            .filter(|target| is_name(target, ".target"))
            .ok_or(TakeOverError::Unusable("has no WantedBy="))?;
        Ok((Contents { program: program.to_owned(), target: target.to_owned() }, path))
    }

    fn plan(&self) -> Result<Plan, TakeOverError> {
        let image = OfficialImage::find(&self.tree)?.ok_or(TakeOverError::NoOfficialUnit)?;
        let (contents, points_at) = self.service()?;
        let (mut drop_ins, mut ours) = (Vec::new(), Vec::new());
        for unit in image.starters.iter().map(String::as_str).chain([SERVICE]) {
            let folder = Change::DropInFolder { unit: unit.to_owned() };
            let file = Change::DropIn { unit: unit.to_owned() };
            match self.tree.entry(&folder.path())? {
                Entry::Missing => drop_ins.push(folder.clone()),
                Entry::Folder => {}
                _ => return Err(TakeOverError::Foreign(self.tree.shown(&folder.path()))),
            }
            match is_ours(&self.tree, &file.path())? {
                Some(false) => return Err(TakeOverError::Foreign(self.tree.shown(&file.path()))),
                Some(true) => {
                    ours.extend([folder, file.clone()]);
                    let there = self.tree.read(&file.path(), 64 << 10)?;
                    if there.as_deref() != Some(contents.drop_in(unit).as_str()) {
                        drop_ins.push(file);
                    }
                }
                None => drop_ins.push(file),
            }
        }
        let mut enabling = Vec::new();
        let folder = Change::WantsFolder { target: contents.target.clone() };
        let link = Change::Enabled { target: contents.target.clone(), points_at: points_at.clone() };
        match self.tree.entry(&folder.path())? {
            Entry::Missing => enabling.push(folder),
            Entry::Folder => {}
            _ => return Err(TakeOverError::Foreign(self.tree.shown(&folder.path()))),
        }
        match self.tree.entry(&link.path())? {
            Entry::Missing => enabling.push(link),
            Entry::Link(target) if target == points_at && !ours.is_empty() => ours.push(link),
            Entry::Link(_) => {}
            _ => return Err(TakeOverError::Foreign(self.tree.shown(&link.path()))),
        }
        Ok(Plan { image, contents, drop_ins, enabling, ours })
    }

    /// Returns what a take-over would do.
    ///
    /// # Errors
    /// As [`take_over`](Self::take_over).
    pub fn preview_take_over(&self, any_version: bool) -> Result<Outcome, TakeOverError> {
        let plan = self.plan()?;
        if Record::read(&self.tree)?.is_none() {
            check_version(&plan.image, any_version)?;
        }
        let mut steps: Vec<String> = plan.drop_ins.iter().map(|change| self.describe(change)).collect();
        for unit in &plan.image.starters {
            if self.systemctl.is_active(unit)? == Some(true) {
                steps.push(format!("systemctl stop {unit}"));
            }
        }
        steps.extend(plan.enabling.iter().map(|change| self.describe(change)));
        if self.systemctl.is_active(SERVICE)? == Some(false) {
            steps.push(format!("systemctl start {SERVICE}"));
        }
        self.outcome(&plan.image, steps, Vec::new())
    }

    /// Lets Minismith own the robot. May be repeated.
    ///
    /// # Errors
    /// When it is refused, or something fails. Repeating it goes on; [`give_back`](Self::give_back) undoes it.
    pub fn take_over(&self, any_version: bool, on_step: OnStep<'_>) -> Result<Outcome, TakeOverError> {
        let plan = self.plan()?;
        let before = Record::read(&self.tree)?;
        let is_new = before.is_none();
        let mut steps = Steps { done: Vec::new(), on_step };
        let mut record = match before {
            Some(record) => record,
            None => {
                check_version(&plan.image, any_version)?;
                let mut record = Record::new(plan.image.version.clone());
                record.were_active = self.active(&plan.image)?;
                record.was_ours_active = self.systemctl.is_active(SERVICE)? == Some(true);
                record.made_folder = self.tree.entry(FOLDER)? == Entry::Missing;
                for folder in ["var", "var/lib", FOLDER] {
                    self.tree.make_folder(folder)?;
                }
                record
            }
        };
        record.progress = Progress::TakingOver;
        if is_new {
            // What is ours by its content was made by a take-over whose record was lost.
            record.changes.extend(plan.ours.iter().cloned());
        }
        record.save(&self.tree)?;
        steps.hidden()?;
        self.make_all(&plan.drop_ins, &plan.contents, &mut record, &mut steps)?;
        if !plan.drop_ins.is_empty() {
            self.systemctl.run("daemon-reload", "")?;
        }
        self.stop_official(&plan.image, &mut steps)?;
        self.make_all(&plan.enabling, &plan.contents, &mut record, &mut steps)?;
        if !plan.enabling.is_empty() {
            self.systemctl.run("daemon-reload", "")?;
        }
        if self.systemctl.is_active(SERVICE)? == Some(false) {
            self.systemctl.run("start", SERVICE)?;
            steps.add(format!("systemctl start {SERVICE}"))?;
        }
        record.progress = Progress::TakenOver;
        record.save(&self.tree)?;
        steps.hidden()?;
        self.outcome(&plan.image, steps.done, Vec::new())
    }

    /// Makes good what the official software has changed since a take-over; for the start of our service, so that it
    /// starts nothing. Without a take-over, nothing happens.
    ///
    /// # Errors
    /// When the robot is being given back, or something fails.
    pub fn check(&self, on_step: OnStep<'_>) -> Result<Outcome, TakeOverError> {
        let Some(mut record) = Record::read(&self.tree)? else {
            let image = OfficialImage::find(&self.tree)?;
            let version = image.and_then(|image| image.version);
            let notes = vec!["nothing was taken over".to_owned()];
            return Ok(Outcome { owner: self.owner()?, official_version: version, steps: Vec::new(), notes });
        };
        if record.progress == Progress::GivingBack {
            return Err(TakeOverError::GivingBack);
        }
        let plan = self.plan()?;
        let mut steps = Steps { done: Vec::new(), on_step };
        self.make_all(&plan.drop_ins, &plan.contents, &mut record, &mut steps)?;
        if !plan.drop_ins.is_empty() {
            self.systemctl.run("daemon-reload", "")?;
        }
        self.stop_official(&plan.image, &mut steps)?;
        self.outcome(&plan.image, steps.done, Vec::new())
    }

    /// Returns what giving back would do.
    ///
    /// # Errors
    /// As [`give_back`](Self::give_back).
    pub fn preview_give_back(&self) -> Result<Outcome, TakeOverError> {
        let Some(record) = self.record_to_undo()? else { return self.nothing_taken() };
        let mut steps = Vec::new();
        if !record.was_ours_active && self.systemctl.is_active(SERVICE)? == Some(true) {
            steps.push(format!("systemctl stop {SERVICE}"));
        }
        for change in record.changes.iter().rev() {
            steps.push(format!("remove {}", self.tree.shown(&change.path()).display()));
        }
        if self.systemctl.0.is_some() {
            steps.extend(self.to_start(&record)?.into_iter().map(|unit| format!("systemctl start {unit}")));
        }
        steps.push(format!("remove {}", self.tree.shown(FILE).display()));
        let version = record.official_version;
        Ok(Outcome { owner: self.owner()?, official_version: version, steps, notes: Vec::new() })
    }

    /// Undoes a take-over. May be repeated.
    ///
    /// # Errors
    /// When something fails. Repeating it goes on.
    pub fn give_back(&self, on_step: OnStep<'_>) -> Result<Outcome, TakeOverError> {
        let Some(mut record) = self.record_to_undo()? else { return self.nothing_taken() };
        let mut steps = Steps { done: Vec::new(), on_step };
        let mut notes = Vec::new();
        record.progress = Progress::GivingBack;
        record.save(&self.tree)?;
        steps.hidden()?;
        if !record.was_ours_active && self.systemctl.is_active(SERVICE)? == Some(true) {
            self.systemctl.run("stop", SERVICE)?;
            steps.add(format!("systemctl stop {SERVICE}"))?;
        }
        let has_changes = !record.changes.is_empty();
        while let Some(change) = record.changes.last() {
            let path = self.tree.shown(&change.path());
            let step = format!("remove {}", path.display());
            match change.undo(&self.tree)? {
                None => steps.add(step)?,
                Some(reason) => notes.push(format!("{} is left as it is: {reason}", path.display())),
            }
            record.changes.pop();
            record.save(&self.tree)?;
            steps.hidden()?;
        }
        if has_changes {
            self.systemctl.run("daemon-reload", "")?;
        }
        for unit in self.to_start(&record)? {
            if self.systemctl.is_active(&unit)? == Some(false) {
                self.systemctl.run("start", &unit)?;
                steps.add(format!("systemctl start {unit}"))?;
            }
        }
        self.tree.remove(FILE)?;
        if record.made_folder {
            self.tree.remove_empty_folder(FOLDER)?;
        }
        steps.add(format!("remove {}", self.tree.shown(FILE).display()))?;
        let version = record.official_version;
        Ok(Outcome { owner: self.owner()?, official_version: version, steps: steps.done, notes })
    }

    fn record_to_undo(&self) -> Result<Option<Record>, TakeOverError> {
        let record = Record::read(&self.tree)?;
        let is_ours = matches!(self.owner()?, Owner::Minismith | Owner::Undecided);
        if record.is_none() && is_ours {
            return Err(TakeOverError::NoRecord(self.tree.shown(FILE)));
        }
        Ok(record)
    }

    fn nothing_taken(&self) -> Result<Outcome, TakeOverError> {
        let image = OfficialImage::find(&self.tree)?;
        let notes = vec!["nothing was taken over, so nothing is given back".to_owned()];
        let official_version = image.and_then(|image| image.version);
        Ok(Outcome { owner: self.owner()?, official_version, steps: Vec::new(), notes })
    }

    /// Returns the official units that are to run again: those that ran, or, where nobody knows, the daemon if it starts
    /// at boot.
    fn to_start(&self, record: &Record) -> Result<Vec<String>, TakeOverError> {
        if let Some(active) = &record.were_active {
            return Ok(active.clone());
        }
        let link = format!("{UNITS}/multi-user.target.wants/{DAEMON}");
        Ok(if self.tree.entry(&link)? == Entry::Missing { Vec::new() } else { vec![DAEMON.to_owned()] })
    }

    /// Returns the official units that run; none without a service manager.
    fn active(&self, image: &OfficialImage) -> Result<Option<Vec<String>>, TakeOverError> {
        let mut active = Vec::new();
        for unit in &image.starters {
            match self.systemctl.is_active(unit)? {
                None => return Ok(None),
                Some(true) => active.push(unit.clone()),
                Some(false) => {}
            }
        }
        Ok(Some(active))
    }

    fn stop_official(&self, image: &OfficialImage, steps: &mut Steps<'_>) -> Result<(), TakeOverError> {
        for unit in self.active(image)?.unwrap_or_default() {
            self.systemctl.run("stop", &unit)?;
            steps.add(format!("systemctl stop {unit}"))?;
        }
        Ok(())
    }

    fn make_all(
        &self,
        changes: &[Change],
        contents: &Contents,
        record: &mut Record,
        steps: &mut Steps<'_>,
    ) -> Result<(), TakeOverError> {
        for change in changes {
            if !record.changes.contains(change) {
                record.changes.push(change.clone());
                record.save(&self.tree)?;
                steps.hidden()?;
            }
            change.make(&self.tree, contents)?;
            steps.add(self.describe(change))?;
        }
        Ok(())
    }

    fn describe(&self, change: &Change) -> String {
        let path = self.tree.shown(&change.path());
        match change {
            Change::DropInFolder { .. } | Change::WantsFolder { .. } => format!("make {}", path.display()),
            Change::DropIn { .. } => format!("write {}", path.display()),
            Change::Enabled { points_at, .. } => format!("link {} to {points_at}", path.display()),
        }
    }

    fn outcome(
        &self,
        image: &OfficialImage,
        steps: Vec<String>,
        mut notes: Vec<String>,
    ) -> Result<Outcome, TakeOverError> {
        notes.extend(self.server_notes()?);
        Ok(Outcome { owner: self.owner()?, official_version: image.version.clone(), steps, notes })
    }

    /// Returns what differs from the official daemon for clients on the network.
    fn server_notes(&self) -> Result<Vec<String>, TakeOverError> {
        const CONFIGURATION: &str = "etc/minismith/config.yaml";
        let text = self.tree.read(CONFIGURATION, 64 << 10)?.unwrap_or_default();
        let all: serde_yaml::Value = serde_yaml::from_str(&text).unwrap_or_default();
        let server = |key: &str| all.get("server").and_then(|server| server.get(key));
        let mut notes = Vec::new();
        if let Some(port) = server("port").and_then(serde_yaml::Value::as_u64).filter(|port| *port != 8000) {
            notes.push(format!("clients expect port 8000, and server.port in /{CONFIGURATION} is {port}"));
        }
        let host = server("host").and_then(serde_yaml::Value::as_str).unwrap_or("127.0.0.1");
        if host == "::1" || host.starts_with("127.") {
            notes.push(format!(
                "only this computer reaches port 8000, and the robot is not announced by mDNS: server.host is {host}; \
                 docs/beside-the-official-software.md says how to open it to others"
            ));
        } else if server("mdns").and_then(serde_yaml::Value::as_bool) == Some(false) {
            notes.push("the robot is not announced by mDNS: server.mdns is false".to_owned());
        }
        Ok(notes)
    }
}

fn enabled_link(target: &str) -> String {
    Change::Enabled { target: target.to_owned(), points_at: String::new() }.path()
}

fn check_version(image: &OfficialImage, any_version: bool) -> Result<(), TakeOverError> {
    if any_version || image.is_known() {
        return Ok(());
    }
    Err(TakeOverError::UnknownVersion(image.version.clone()))
}

/// What was done so far.
struct Steps<'a> {
    done: Vec<String>,
    on_step: OnStep<'a>,
}

impl Steps<'_> {
    fn add(&mut self, step: String) -> std::io::Result<()> {
        let reported = (self.on_step)(&step);
        self.done.push(step);
        reported
    }

    /// Reports a change of the record, which is nothing that a person asked for.
    fn hidden(&mut self) -> std::io::Result<()> {
        (self.on_step)("")
    }
}
