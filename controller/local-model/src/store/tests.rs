use super::*;

fn store() -> (tempfile::TempDir, ModelStore) {
    let folder = tempfile::tempdir().unwrap();
    let store = ModelStore::new(&folder.path().join("model"));
    (folder, store)
}

fn file(folder: &Path, name: &str, licence: &str) -> PathBuf {
    let path = folder.join(name);
    fs::write(&path, gguf::sample(&[("general.architecture", "tiny"), ("general.license", licence)]))
        .unwrap();
    path
}

#[test]
fn models_are_added_chosen_and_removed() {
    let (folder, store) = store();
    assert!(store.list().unwrap().is_empty() && store.used().unwrap().is_none());
    let one = store.add(&file(folder.path(), "One Model.Q4.gguf", "mit"), None).unwrap();
    assert_eq!((one.model.name.as_str(), one.was_there, one.model.used), ("one-model.q4", false, true));
    assert_eq!(one.model.licence.as_deref(), Some("mit"));
    assert_eq!(one.model.sha256.as_ref().unwrap().len(), 64);
    let two = store.add(&file(folder.path(), "two.gguf", "apache-2.0"), Some("second")).unwrap();
    assert!(!two.model.used);
    assert_eq!(store.choose("second").unwrap().name, "second");
    assert_eq!(store.used().unwrap().unwrap().name, "second");
    // The same file again is no error, another one is.
    assert!(store.add(&folder.path().join("two.gguf"), Some("second")).unwrap().was_there);
    let other = file(folder.path(), "three.gguf", "gpl");
    assert!(matches!(store.add(&other, Some("second")), Err(StoreError::Taken { .. })));
    assert_eq!(store.list().unwrap().len(), 2);
    store.remove("second").unwrap();
    // The only one that is left is used.
    assert_eq!(store.used().unwrap().unwrap().name, "one-model.q4");
    store.remove("one-model.q4").unwrap();
    assert!(store.list().unwrap().is_empty());
    // The originals are untouched.
    assert!(gguf::read(&folder.path().join("two.gguf")).is_ok());
    // Nothing else is left in the folder.
    assert_eq!(fs::read_dir(folder.path().join("model/models")).unwrap().count(), 0);
}

#[test]
fn what_is_no_model_is_refused_and_nothing_changes() {
    let (folder, store) = store();
    let text = folder.path().join("notes.gguf");
    fs::write(&text, "these are notes").unwrap();
    let good = file(folder.path(), "good.gguf", "mit");
    for (path, name, part) in [
        (text.as_path(), None, "GGUF"),
        (&folder.path().join("missing.gguf"), None, "No such file"),
        (folder.path(), None, "not a file"),
        (&good, Some("../evil"), "can't be a model's name"),
        (&good, Some(""), "can't be a model's name"),
        (&good, Some("Big"), "small letters"),
    ] {
        let error = store.add(path, name).unwrap_err();
        assert!(error.is_refusal() && error.to_string().contains(part), "{error}");
    }
    assert!(store.list().unwrap().is_empty());
    for error in [store.choose("good").unwrap_err(), store.remove("good").unwrap_err()] {
        assert!(error.is_refusal() && error.to_string().contains("make model"), "{error}");
    }
}

#[test]
fn a_damaged_model_is_listed_and_not_used() {
    let (folder, store) = store();
    store.add(&file(folder.path(), "one.gguf", "mit"), None).unwrap();
    let place = folder.path().join("model/models/one.gguf");
    fs::remove_file(&place).unwrap();
    fs::write(&place, "GGUF and no more").unwrap();
    assert!(store.list().unwrap()[0].damage.is_some());
    assert!(matches!(store.used(), Err(StoreError::Damaged { .. })));
    assert!(matches!(store.choose("one"), Err(StoreError::Damaged { .. })));
    // A choice that is gone is named.
    fs::write(folder.path().join("model/models/used"), "gone\n").unwrap();
    assert!(matches!(store.used(), Err(StoreError::Unknown { name, .. }) if name == "gone"));
}
