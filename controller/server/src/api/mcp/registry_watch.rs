//! Detects changes of the tool registry, by this server, the command line or another program.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::{Duration, SystemTime};

use tokio::sync::watch;

/// Polling interval while a client is subscribed.
const POLL_INTERVAL: Duration = Duration::from_millis(500);

/// Modification times of the tools' folders, which change with each version, approval and quarantine.
type Stamp = Vec<(PathBuf, Option<SystemTime>)>;

/// A registry that is watched while there are subscribers.
pub(super) struct RegistryWatcher {
    root: PathBuf,
    known: Mutex<Stamp>,
    changed: watch::Sender<()>,
}

impl RegistryWatcher {
    /// Watches the registry in a folder. Call it within a tokio runtime.
    pub(super) fn watched(root: &Path) -> Arc<Self> {
        let (changed, _) = watch::channel(());
        let registry = Arc::new(RegistryWatcher { root: root.to_owned(), known: Mutex::default(), changed });
        tokio::spawn(watch(Arc::downgrade(&registry)));
        registry
    }

    /// Subscribes to later changes.
    pub(super) async fn changes(&self) -> watch::Receiver<()> {
        let changes = self.changed.subscribe();
        // The first subscriber needs a baseline.
        if self.changed.receiver_count() == 1 {
            let now = stamp(&self.root).await;
            self.know(now);
        }
        changes
    }

    /// Stores the state; returns whether it has changed.
    fn know(&self, now: Stamp) -> bool {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let is_news = *known != now;
        *known = now;
        is_news
    }
}

/// Reports a change once the registry has settled.
async fn watch(registry: Weak<RegistryWatcher>) {
    let mut is_settling = false;
    loop {
        tokio::time::sleep(POLL_INTERVAL).await;
        let Some(registry) = registry.upgrade() else { return };
        if registry.changed.receiver_count() == 0 {
            is_settling = false;
            continue;
        }
        let is_news = registry.know(stamp(&registry.root).await);
        if is_settling && !is_news {
            registry.changed.send_replace(());
        }
        is_settling = is_news;
    }
}

async fn stamp(root: &Path) -> Stamp {
    let root = root.to_owned();
    let read = move || {
        let shelves = ["predefined", "generated"].map(|registry| root.join(registry));
        let tools =
            shelves.iter().filter_map(|registry| std::fs::read_dir(registry).ok()).flatten().flatten();
        let mut folders: Vec<PathBuf> = tools.map(|tool| tool.path()).collect();
        folders.sort();
        let changed = |folder: PathBuf| {
            let at = folder.metadata().and_then(|about| about.modified()).ok();
            (folder, at)
        };
        folders.into_iter().map(changed).collect()
    };
    tokio::task::spawn_blocking(read).await.unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_versions_from_any_source() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let folder = tempfile::tempdir().unwrap();
            let tool = folder.path().join("generated/wave");
            std::fs::create_dir_all(&tool).unwrap();
            let registry = RegistryWatcher::watched(folder.path());
            let mut changes = registry.changes().await;
            std::fs::write(tool.join("v1.json"), "{}").unwrap();
            changes.changed().await.unwrap();
        });
    }
}
