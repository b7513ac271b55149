//! Runs that are stopped, killed, or in each other's way.

use std::fs;
use std::thread::sleep;
use std::time::Duration;

use finch_deep::train::Checkpoint;
use ndarray::Array2;
use ndarray_npy::read_npy;

use crate::place::{
    Place, SLOW, SLOWER, assert_same, begin, checkpoints, files, gaussians, signal, text,
    wait_for_an_epoch,
};

#[test]
fn killed_again_and_again_it_ends_as_if_it_had_not_been() {
    let place = Place::new();
    let whole = place.train("whole", SLOW);
    for round in 0..2 {
        let out = format!("killed-{round}");
        let run = place.at(&out);
        let (mut kills, mut resumed, mut damaged) = (0, 0, None);
        loop {
            let arguments = match run.join("run.json").exists() {
                true => vec!["train", "--resume", &out, "--quiet"],
                false => begin(&out, SLOW),
            };
            resumed += usize::from(arguments[1] == "--resume");
            let mut child = place.finch(&arguments).spawn().unwrap();
            // From the first moments of the process to a few epochs; longer each time, so that it
            // ends on any machine.
            let pause = 9 * round + 25 * kills;
            sleep(Duration::from_millis(pause));
            if child.try_wait().unwrap().is_none() {
                child.kill().unwrap();
                kills += 1;
            }
            let output = child.wait_with_output().unwrap();
            match output.status.code() {
                None => {}
                Some(0) => break,
                Some(_) => panic!("{output:?}"),
            }
            // A file that has its name is whole.
            let kept = if run.join("run.json").exists() { checkpoints(&run) } else { Vec::new() };
            for path in kept.iter().filter(|path| Some(*path) != damaged.as_ref()) {
                Checkpoint::load(path).unwrap();
            }
            if kept.len() >= 2 && damaged.is_none() {
                let newest = kept.last().unwrap();
                damaged = Some(newest.clone());
                let bytes = fs::read(newest).unwrap();
                fs::write(newest, &bytes[..bytes.len() - 1]).unwrap();
                for name in [".finch-stray.tmp", "checkpoints/.finch-stray.tmp"] {
                    fs::write(run.join(name), &bytes[..99]).unwrap();
                }
            }
            assert!(kills < 500, "it does not come to an end");
        }
        assert!(kills > 3 && resumed > 1 && damaged.is_some(), "{kills} {resumed} {damaged:?}");
        assert_same(&run, &whole);
    }
}

#[test]
fn ctrl_c_says_how_to_go_on() {
    let place = Place::new();
    let whole = place.train("whole", SLOWER);
    let mut child = place.finch(&begin("a run", SLOWER)).spawn().unwrap();
    let run = place.at("a run");
    wait_for_an_epoch(&mut child, &run);
    signal(&child, "INT");
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{output:?}");
    assert!(output.stdout.is_empty(), "{output:?}");
    let newest = Checkpoint::load(checkpoints(&run).last().unwrap()).unwrap();
    let message = format!(
        "finch: stopped by Ctrl-C, after epoch {}; go on with: finch train --resume 'a run'\n",
        newest.epoch()
    );
    assert_eq!(text(&output.stderr), message);
    assert!((1..6).contains(&newest.epoch()));
    place.done(&["train", "--resume", "a run", "--quiet"]);
    assert_same(&run, &whole);
}

#[test]
fn a_second_process_is_kept_off() {
    let place = Place::new();
    let whole = place.train("whole", SLOWER);
    let mut child = place.finch(&begin("run", SLOWER)).spawn().unwrap();
    wait_for_an_epoch(&mut child, &place.at("run"));
    // Stopped, so that the process cannot end meanwhile. It takes a moment until all of its threads
    // stand still.
    signal(&child, "STOP");
    sleep(Duration::from_millis(300));
    let before = files(&place.at("run"));
    let busy = place.error(&["train", "--resume", "run"]);
    assert_eq!(busy, "finch: another process is training in run: let it end, or stop it\n");
    let taken = place.error(&begin("run", SLOWER));
    assert!(taken.contains("run is not empty"), "{taken}");
    // Reading the run is allowed.
    place.done(&["embed", "run", "samples.npy", "--out", "embedding.npy"]);
    assert!(files(&place.at("run")) == before);
    signal(&child, "CONT");
    assert!(child.wait().unwrap().success());
    assert_same(&place.at("run"), &whole);
}

#[test]
fn a_finished_run_is_left_alone() {
    let place = Place::new();
    let run = place.train("run", &["--seed", "1"]);
    let before = files(&run);
    assert_eq!(place.done(&["train", "--resume", "run"]), "run is done, with 6 epochs\n");
    let taken = place.error(&begin("run", &[]));
    assert!(taken.contains("run is not empty") && taken.contains("--resume"), "{taken}");
    // Other commands do not write over the run's labels.
    let taken = place.error(&["cluster", "samples.npy", "--out", "run"]);
    assert!(taken.contains("run is a run of finch train"), "{taken}");
    assert!(files(&run) == before);
}

#[test]
fn what_is_there_already_is_not_touched() {
    let place = Place::new();
    fs::create_dir(place.at("mine")).unwrap();
    // Names that a run has, too.
    for name in ["config.toml", "notes.txt"] {
        fs::write(place.at("mine").join(name), "mine").unwrap();
    }
    let before = files(&place.at("mine"));
    let text = place.error(&begin("mine", &[]));
    assert!(text.contains("mine is not empty: choose another directory"), "{text}");
    let text = place.error(&["train", "--resume", "mine"]);
    assert!(text.contains("mine/config.toml") || text.contains("mine is no run"), "{text}");
    assert!(files(&place.at("mine")) == before);
    fs::remove_file(place.at("mine/config.toml")).unwrap();
    let text = place.error(&["train", "--resume", "mine"]);
    assert!(text.contains("mine is no run directory of finch: config.toml is missing"), "{text}");
    let text = place.error(&["train", "--resume", "missing"]);
    assert!(text.contains("missing is no run directory"), "{text}");
    for [command, first] in [["embed", "mine"], ["embed", "missing"]] {
        let text = place.error(&[command, first, "samples.npy", "--out", "e.npy"]);
        assert!(text.contains(first) && text.contains("no run directory"), "{text}");
    }
    assert_eq!(files(&place.at("mine")).len(), 1);
    assert!(!place.at("missing").exists() && !place.at("e.npy").exists());

    // A file in the way.
    for out in ["samples.npy", "samples.npy/run"] {
        let text = place.error(&begin(out, &[]));
        assert!(text.contains(&format!("{out}: ")) && text.to_lowercase().contains("not a dir"));
    }
    assert_eq!(read_npy::<_, Array2<f32>>(place.at("samples.npy")).unwrap(), gaussians());
    if cfg!(target_os = "linux") {
        let text = place.error(&begin("/proc/run", &[]));
        assert!(text.starts_with("finch: /proc/run: "), "{text}");
    }
}

#[test]
fn a_process_killed_before_it_began_does_not_block_the_directory() {
    let place = Place::new();
    let whole = place.train("whole", &[]);
    // All files that there are before run.json.
    let run = place.at("run");
    fs::create_dir_all(run.join("checkpoints")).unwrap();
    for name in ["lock", "metrics.jsonl", "config.toml", "recipe.json", ".finch-x.tmp"] {
        fs::write(run.join(name), "").unwrap();
    }
    fs::remove_file(run.join(".finch-x.tmp")).unwrap();
    assert_same(&place.train("run", &[]), &whole);
}
