//! Runs that go on beyond their end.

use std::fs;

use finch_deep::metrics::{Clustering, Measurement};

use crate::place::{Place, assert_same, copy, metrics};

/// Runs of three networks, and of one, that go on for two rounds.
const BOTH: &str = "--epochs 2 --relabel-every 1 --least-steps 100";
const GRAPH: &str =
    "--objectives graph --graph-networks 1 --epochs 4 --relabel-every 1 --least-steps 100";

fn train(place: &Place, out: &str, options: &str) {
    let first = "train samples.npy --clusters 4 --hidden 32,32 --batch 64 --quiet";
    let arguments = format!("{first} --out {out} {options}");
    place.done(&arguments.split(' ').collect::<Vec<_>>());
}

fn resume(place: &Place, run: &str, options: &[&str]) {
    place.done(&[&["train", "--resume", run, "--quiet"], options].concat());
}

#[test]
fn a_finished_run_goes_on_as_if_it_had_been_asked_for_more_rounds_at_first() {
    let place = Place::new();
    for (name, options, first) in [("both", BOTH, 6), ("graph", GRAPH, 4)] {
        let at = |run: &str| place.at(&format!("{name}-{run}"));
        let base = format!("{name}-base");
        train(&place, &base, options);
        let whole = format!("{name}-whole");
        train(&place, &whole, &format!("{options} --rounds 2"));
        let whole = at("whole");
        let verdicts = metrics(&whole);
        let verdicts = verdicts.iter().filter_map(Measurement::clustering);
        let decided: Vec<usize> = verdicts
            .filter(|clustering| clustering.verdict.is_some())
            .map(|Clustering { epoch, .. }| *epoch)
            .collect();
        assert_eq!(decided, [first, first + 1, first + 2]);

        for (out, rounds) in [("at-once", &["2"][..]), ("one-by-one", &["1", "1"])] {
            copy(&place.at(&base), &at(out));
            for rounds in rounds {
                resume(&place, &format!("{name}-{out}"), &["--rounds", rounds]);
            }
            assert_same(&at(out), &whole);
        }
        // Killed before the first of the rounds.
        copy(&place.at(&base), &at("killed"));
        fs::copy(whole.join("config.toml"), at("killed").join("config.toml")).unwrap();
        resume(&place, &format!("{name}-killed"), &[]);
        assert_same(&at("killed"), &whole);
        // And between any two steps.
        for steps in 1..metrics(&whole).len() {
            let part = format!("{name}-after-{steps}");
            place.unfinished(&whole, &part, steps);
            resume(&place, &part, &[]);
            assert_same(&place.at(&part), &whole);
        }
    }
}

#[test]
fn rounds_are_all_that_a_run_can_have_more_of() {
    let place = Place::new();
    train(&place, "run", GRAPH);
    let output = place.output(&["train", "--resume", "run", "--rounds", "1", "--seed", "2"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("but --rounds"));
    let many = place.error(&["train", "--resume", "run", "--rounds", "1000000"]);
    assert!(many.contains("rounds") && many.contains("all epochs together"), "{many}");
    assert_eq!(place.done(&["train", "--resume", "run"]), "run is done, with 4 epochs\n");
}
