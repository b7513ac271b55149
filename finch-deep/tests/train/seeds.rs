//! Runs that differ by their seed alone, and a run in the place of another.

use std::fs;

use serde_json::Value;

use crate::place::{Place, begin, files, read, text};

#[test]
fn runs_of_several_seeds_are_compared_and_the_best_is_told_without_labels() {
    let place = Place::new();
    let options = ["--seeds", "3", "--seed", "4", "--labels", "classes.txt"];
    let arguments: Vec<&str> =
        begin("runs", &options).into_iter().filter(|word| *word != "--quiet").collect();
    let output = place.output(&arguments);
    assert!(output.status.success(), "{output:?}");
    let seeds: Value = serde_json::from_str(&read(&place.at("runs"), "seeds.json")).unwrap();
    let runs = seeds["runs"].as_array().unwrap();
    let names: Vec<&str> = runs.iter().map(|run| run["directory"].as_str().unwrap()).collect();
    assert_eq!(names, ["seed-4", "seed-5", "seed-6"]);
    // The best is the most modular; the first of equal ones.
    let modularity = |run: &Value| run["modularity"].as_f64().unwrap();
    let most = runs.iter().map(modularity).fold(f64::NEG_INFINITY, f64::max);
    let best = runs.iter().find(|run| modularity(run) == most).unwrap();
    assert_eq!(seeds["best"], best["directory"]);
    let mean: f64 = runs.iter().map(|run| run["ari"].as_f64().unwrap()).sum::<f64>() / 3.0;
    assert!((seeds["scores"]["ari"]["mean"].as_f64().unwrap() - mean).abs() < 1e-9);
    let shown = text(&output.stdout);
    assert!(shown.starts_with(&format!("runs/{} is the best", seeds["best"].as_str().unwrap())));
    // The folder stands for its best run.
    assert!(shown.contains("±") && shown.contains("finch predict runs NEW"), "{shown}");
    let told = text(&output.stderr);
    assert_eq!(told.lines().filter(|line| line.contains(" of 6: loss ")).count(), 18, "{told}");
    // Each is the run of its seed.
    let alone = place.train("alone", &["--seed", "5"]);
    for name in ["embedding.npy", "labels.csv"] {
        let [one, other] = [&alone, &place.at("runs/seed-5")].map(|run| fs::read(run.join(name)));
        assert!(one.unwrap() == other.unwrap(), "{name}");
    }
    // Without the truth the best is the same.
    place.done(&begin("blind", &["--seeds", "3", "--seed", "4"]));
    let blind: Value = serde_json::from_str(&read(&place.at("blind"), "seeds.json")).unwrap();
    assert_eq!((&blind["best"], blind.get("scores")), (&seeds["best"], None));
    assert!(place.error(&begin("runs", &["--seeds", "2"])).contains("runs is not empty"));
}

#[test]
fn a_run_takes_the_place_of_another_with_force_alone() {
    let place = Place::new();
    let run = place.train("run", &["--seed", "1"]);
    let before = files(&run);
    let told = place.error(&begin("run", &["--seed", "2"]));
    assert!(told.contains("run is not empty") && told.contains("--force"), "{told}");
    // Wrong options cost nothing.
    place.error(&begin("run", &["--force", "--labels", "none.txt"]));
    assert!(files(&run) == before);
    fs::write(run.join("notes.txt"), "mine").unwrap();
    let told = place.error(&begin("run", &["--seed", "2", "--force"]));
    assert!(told.contains("is not empty"), "a user's own file is among them: {told}");
    assert!(told.contains("notes.txt is no file of a run"), "{told}");
    fs::remove_file(run.join("notes.txt")).unwrap();
    assert!(files(&run) == before, "a run that stays loses nothing");
    let run = place.train("other", &["--seed", "1"]);
    place.train("other", &["--seed", "2", "--force"]);
    let anew = place.train("anew", &["--seed", "2"]);
    for name in ["embedding.npy", "requested.npy", "labels.csv", "model.finch", "config.toml"] {
        let [one, two] = [&run, &anew].map(|run| fs::read(run.join(name)).unwrap());
        assert!(one == two, "{name}");
    }
    for out in ["-", "labels.csv"] {
        let output = place.output(&["train", "samples.npy", "--out", out]);
        assert_eq!(output.status.code(), Some(2), "{output:?}");
        assert!(text(&output.stderr).contains("a run is a directory"));
    }
}
