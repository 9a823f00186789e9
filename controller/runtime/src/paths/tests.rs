//! The order in which files are looked for, in environments made for it.

use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use super::*;

/// A computer with nothing on it, and one user.
struct Computer {
    root: TempDir,
    environment: Environment,
}

impl Computer {
    fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        let at = |name: &str| root.path().join(name);
        for folder in ["home", "work", "bin"] {
            fs::create_dir(at(folder)).unwrap();
        }
        let environment = Environment {
            variables: [("HOME", at("home").into())].into(),
            current: at("work"),
            program: Some(at("bin")),
            trusted: vec![rustix::process::geteuid().as_raw()],
            etc: at("etc/minismith"),
            share: at("usr/share/minismith"),
            var: at("var/lib/minismith"),
        };
        Computer { root, environment }
    }

    fn at(&self, name: &str) -> PathBuf {
        self.root.path().join(name)
    }

    fn write(&self, name: &str) -> PathBuf {
        let path = self.at(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, "robot: mock\n").unwrap();
        path
    }

    fn with(mut self, variable: &'static str, name: &str) -> Self {
        let value = self.at(name).into();
        self.environment.variables.insert(variable, value);
        self
    }

    fn homeless(mut self) -> Self {
        self.environment.variables.remove("HOME");
        self
    }

    fn layout(&self, named: Option<&Path>) -> Layout {
        Layout::find(self.environment.clone(), named)
    }

    #[track_caller]
    fn reads(&self, expected: Option<&str>) {
        let found = self.layout(None).configuration().path.clone();
        // A file in the current folder keeps its short name.
        let found = found.map(|path| self.environment.current.join(path));
        assert_eq!(found, expected.map(|name| self.at(name)));
    }

    #[track_caller]
    fn takes(&self, location: &Location, expected: &str) {
        let path = location.path.clone().unwrap();
        assert_eq!(self.environment.current.join(path), self.at(expected), "{location:?}");
    }
}

const JOURNAL: &str = "~/.local/share/minismith/journal.jsonl";
const TOKENS: &str = "~/.config/minismith/tokens.json";

fn in_state(layout: &Layout, path: &str) -> PathBuf {
    layout.of_the_user(Path::new(path)).unwrap().0
}

#[test]
fn the_configuration_is_the_nearest_one() {
    let computer = Computer::new();
    computer.reads(None);
    computer.write("etc/minismith/config.yaml");
    computer.reads(Some("etc/minismith/config.yaml"));
    computer.write("home/.config/minismith/config.yaml");
    computer.reads(Some("home/.config/minismith/config.yaml"));
    computer.write("work/config.yaml");
    computer.reads(Some("work/config.yaml"));
    let computer = computer.with("CONFIGURATION_DIRECTORY", "unit");
    computer.reads(Some("work/config.yaml"));
    computer.write("unit/config.yaml");
    computer.reads(Some("unit/config.yaml"));
    let named = computer.at("any.yaml");
    assert_eq!(computer.layout(Some(&named)).configuration().path, Some(named));
}

#[test]
fn every_place_is_named_with_what_became_of_it() {
    let computer = Computer::new();
    computer.write("etc/minismith/config.yaml");
    computer.write("work/config.yaml");
    let layout = computer.layout(None);
    let states: Vec<_> = layout.configuration().searched.iter().map(|place| place.state).collect();
    assert_eq!(states, [CandidateState::Taken, CandidateState::Missing, CandidateState::LessPreferred]);
    assert_eq!(layout.configuration().reason, "the current folder");
}

#[test]
fn a_file_of_somebody_else_in_the_current_folder_is_not_read() {
    let mut computer = Computer::new();
    let hostile = computer.write("work/config.yaml");
    computer.write("home/.config/minismith/config.yaml");
    computer.environment.trusted = Vec::new();
    computer.reads(Some("home/.config/minismith/config.yaml"));
    let layout = computer.layout(None);
    assert_eq!(layout.untrusted().collect::<Vec<_>>(), [hostile.as_path()]);
    // It is read when it is named.
    assert_eq!(computer.layout(Some(&hostile)).configuration().path, Some(hostile));
}

#[test]
fn a_folder_that_everybody_may_write_is_no_project() {
    use std::os::unix::fs::PermissionsExt;
    let computer = Computer::new();
    computer.write("work/config.yaml");
    fs::set_permissions(computer.at("work"), fs::Permissions::from_mode(0o1777)).unwrap();
    computer.reads(None);
    assert_eq!(computer.layout(None).untrusted().count(), 1);
}

#[test]
fn a_person_has_everything_in_the_folders_of_the_user() {
    let computer = Computer::new();
    let layout = computer.layout(None);
    computer.takes(&layout.tools().unwrap(), "home/.local/share/minismith/tools");
    computer.takes(&layout.models(), "home/.local/share/minismith/models");
    computer.takes(&layout.python(), "home/.local/share/minismith/python/bin/python");
    computer.takes(&layout.local_model(), "home/.local/share/minismith/local-model");
    assert!(!layout.models().exists && layout.models().reason.starts_with("not installed"));
    assert_eq!(in_state(&layout, JOURNAL), computer.at("home/.local/share/minismith/journal.jsonl"));
    assert_eq!(in_state(&layout, TOKENS), computer.at("home/.config/minismith/tokens.json"));

    let computer = computer.with("XDG_DATA_HOME", "data").with("XDG_CONFIG_HOME", "conf");
    computer.write("conf/minismith/config.yaml");
    computer.reads(Some("conf/minismith/config.yaml"));
    let layout = computer.layout(None);
    computer.takes(&layout.tools().unwrap(), "data/minismith/tools");
    assert_eq!(in_state(&layout, JOURNAL), computer.at("data/minismith/journal.jsonl"));
    assert_eq!(in_state(&layout, TOKENS), computer.at("conf/minismith/tokens.json"));
}

#[test]
fn a_relative_variable_is_ignored() {
    let mut computer = Computer::new();
    computer.environment.variables.insert("XDG_DATA_HOME", "data".into());
    computer.takes(&computer.layout(None).tools().unwrap(), "home/.local/share/minismith/tools");
}

#[test]
fn a_service_has_everything_in_the_folders_of_systemd() {
    let computer = Computer::new().with("STATE_DIRECTORY", "state").with("CONFIGURATION_DIRECTORY", "conf");
    computer.write("conf/config.yaml");
    let layout = computer.layout(None);
    computer.takes(&layout.tools().unwrap(), "state/tools");
    computer.takes(&layout.models(), "state/models");
    assert_eq!(in_state(&layout, JOURNAL), computer.at("state/journal.jsonl"));
    // The folder of the configuration is only read.
    assert_eq!(in_state(&layout, TOKENS), computer.at("state/tokens.json"));

    let mut computer = computer;
    let two = format!("{}:{}", computer.at("one").display(), computer.at("two").display());
    computer.environment.variables.insert("STATE_DIRECTORY", two.into());
    computer.takes(&computer.layout(None).tools().unwrap(), "one/tools");
}

#[test]
fn without_a_home_there_is_the_folder_of_the_service_or_an_error() {
    let computer = Computer::new().homeless();
    let layout = computer.layout(None);
    assert_eq!(layout.tools().unwrap_err(), NoHome);
    assert_eq!(layout.of_the_user(Path::new(JOURNAL)).unwrap_err(), NoHome);
    assert!(NoHome.to_string().contains("HOME is not set; set HOME or XDG_DATA_HOME"));
    fs::create_dir_all(computer.at("var/lib/minismith")).unwrap();
    let layout = computer.layout(None);
    computer.takes(&layout.tools().unwrap(), "var/lib/minismith/tools");
    assert_eq!(in_state(&layout, TOKENS), computer.at("var/lib/minismith/tokens.json"));
}

#[test]
fn without_a_home_a_project_keeps_the_files_of_its_user_beside_its_configuration() {
    let computer = Computer::new().homeless();
    let named = computer.write("project/config.yaml");
    let layout = computer.layout(Some(&named));
    assert_eq!(in_state(&layout, JOURNAL), computer.at("project/.minismith/journal.jsonl"));
    assert_eq!(
        in_state(&layout, "~/.config/minismith/signing.key"),
        computer.at("project/.minismith/signing.key")
    );
}

#[test]
fn a_project_has_its_own_folders_first_and_then_those_of_the_user() {
    let computer = Computer::new();
    computer.write("work/config.yaml");
    let layout = computer.layout(None);
    computer.takes(&layout.tools().unwrap(), "work/tools");
    // Nothing is there yet: it belongs where other folders find it too.
    computer.takes(&layout.models(), "home/.local/share/minismith/models");
    computer.write("home/.local/share/minismith/models/one.onnx");
    assert!(layout.models().exists);
    computer.takes(&layout.models(), "home/.local/share/minismith/models");
    computer.write("work/.cache/models/one.onnx");
    computer.takes(&layout.models(), "work/.cache/models");
    assert_eq!(layout.models().searched[1].state, CandidateState::LessPreferred);
    assert_eq!(in_state(&layout, JOURNAL), computer.at("home/.local/share/minismith/journal.jsonl"));
}

#[test]
fn a_configuration_of_the_user_is_no_project_also_when_it_is_named() {
    let computer = Computer::new();
    let own = computer.write("home/.config/minismith/config.yaml");
    let layout = computer.layout(Some(&own));
    computer.takes(&layout.tools().unwrap(), "home/.local/share/minismith/tools");
    let mut computer = computer;
    computer.environment.current = computer.at("home/.config/minismith");
    computer.takes(&computer.layout(None).tools().unwrap(), "home/.local/share/minismith/tools");
}

fn source_tree(computer: &Computer, folder: &str) {
    for mark in ["Cargo.toml", "config.yaml", "tools/sources/nod.py"] {
        computer.write(&format!("{folder}/{mark}"));
    }
}

#[test]
fn the_source_tree_has_everything_below_it() {
    let computer = Computer::new();
    source_tree(&computer, "work");
    computer.write("home/.local/share/minismith/models/one.onnx");
    computer.write("home/.local/share/minismith/python/bin/python");
    let layout = Layout::of_project(computer.environment.clone(), &computer.at("work"));
    computer.takes(&layout.tools().unwrap(), "work/tools");
    computer.takes(&layout.models(), "work/.cache/models");
    computer.takes(&layout.python(), "work/.venv/bin/python");
    computer.takes(&layout.local_model(), "work/.cache/model");
}

#[test]
fn a_program_of_a_source_tree_finds_its_models_and_its_python_from_anywhere() {
    let mut computer = Computer::new();
    source_tree(&computer, "tree");
    computer.write("tree/.cache/models/one.onnx");
    computer.write("tree/.venv/bin/python");
    computer.environment.program = Some(computer.at("tree/target/debug"));
    let layout = computer.layout(None);
    computer.takes(&layout.models(), "tree/.cache/models");
    computer.takes(&layout.python(), "tree/.venv/bin/python");
    computer.takes(&layout.tools().unwrap(), "home/.local/share/minismith/tools");
    // The user's own comes first.
    computer.write("home/.local/share/minismith/models/one.onnx");
    computer.takes(&layout.models(), "home/.local/share/minismith/models");
    // Without its marks, or of another owner, it is any folder.
    computer.environment.trusted = Vec::new();
    computer.takes(&computer.layout(None).python(), "home/.local/share/minismith/python/bin/python");
}

#[test]
fn packages_install_beside_the_program_or_for_all_users() {
    let computer = Computer::new();
    computer.write("var/lib/minismith/models/one.onnx");
    let layout = computer.layout(None);
    computer.takes(&layout.models(), "var/lib/minismith/models");
    computer.write("usr/share/minismith/models/one.onnx");
    computer.takes(&layout.models(), "usr/share/minismith/models");
    computer.write("share/minismith/models/one.onnx");
    computer.takes(&layout.models(), "share/minismith/models");
    let shared: Vec<_> = layout.shared_predefined().into_iter().map(|(path, _)| path).collect();
    assert_eq!(
        shared,
        ["bin/share", "share", "usr/share"].map(|at| computer.at(at).join("minismith/tools/predefined"))
    );
}
