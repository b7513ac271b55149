//! The files that a run reads, again and from elsewhere.

use std::fs;

use finch_deep::metrics::Measurement;
use ndarray::{Array2, s};
use ndarray_npy::write_npy;

use crate::place::{
    CLASSES, OPTIONS, Place, SAMPLES, SLOW, SLOWER, assert_same, copy, files, gaussians, metrics,
    wait_for_an_epoch,
};

#[test]
fn a_run_goes_on_with_its_own_samples_only() {
    let place = Place::new();
    let whole = place.train("whole", SLOW);
    let stopped = place.unfinished(&whole, "run", 2);
    let before = files(&stopped);
    let npy = |name: &str, matrix: Array2<f32>| write_npy(place.at(name), &matrix).unwrap();
    let mut other = gaussians();
    other[[599, 7]] += 1.0;
    npy("other.npy", other);
    npy("narrow.npy", gaussians().slice(s![.., ..7]).to_owned());
    npy("few.npy", gaussians().slice(s![..50, ..]).to_owned());
    let cases = [
        ("other.npy", "other.npy: the input is not the one that the run began with: a value"),
        ("few.npy", "few.npy: the input is not the one that the run began with: the number of"),
        ("narrow.npy", "narrow.npy: the network was trained on 8 features"),
    ];
    for (name, expected) in cases {
        let text = place.error(&["train", "--resume", "run", name]);
        assert!(text.contains(expected), "{text}");
    }
    let text = place.error(&["embed", "run", "narrow.npy", "--out", "e.npy"]);
    assert!(text.contains("narrow.npy: 7 features here, and 8 where"), "{text}");
    let text = place.error(&["cluster", "--embed", "run", "narrow.npy"]);
    assert!(text.contains("narrow.npy: 7 features here, and 8 where"), "{text}");
    assert!(!place.at("e.npy").exists());

    // Nor before the first checkpoint.
    let early = copy(&stopped, &place.at("early"));
    fs::remove_dir_all(early.join("checkpoints")).unwrap();
    fs::create_dir(early.join("checkpoints")).unwrap();
    let text = place.error(&["train", "--resume", "early", "other.npy"]);
    assert!(text.contains("other.npy: the input is not the one"), "{text}");
    place.done(&["train", "--resume", "early", "--quiet"]);
    assert_same(&early, &whole);

    // Moved samples are found if they are named; so is a run that was moved, from anywhere.
    fs::rename(place.at("samples.npy"), place.at("moved.npy")).unwrap();
    let text = place.error(&["train", "--resume", "run"]);
    assert!(text.contains("samples.npy: cannot read: No such file"), "{text}");
    assert!(text.contains("finch train --resume run INPUT"), "{text}");
    assert!(files(&stopped) == before);
    let folder = place.at("another folder, ü");
    fs::create_dir(&folder).unwrap();
    fs::rename(&stopped, folder.join("run")).unwrap();
    std::os::unix::fs::symlink(folder.join("run"), place.at("link")).unwrap();
    place.done(&["train", "--resume", "link", "moved.npy", "--quiet"]);
    assert_same(&folder.join("run"), &whole);
}

#[test]
fn a_run_reads_its_files_again_as_it_did() {
    let place = Place::new();
    // Two tables with a header, a name for each sample, its class, and a column to leave out.
    let matrix = gaussians();
    for (name, rows) in [("first.csv", 0..200), ("second.csv", 200..SAMPLES)] {
        let mut text = String::from("sample,a,b,c,d,e,f,g,h,-x,class\n");
        for row in rows {
            let values: Vec<String> = matrix.row(row).iter().map(f32::to_string).collect();
            text += &format!("s{row},{},7,{}\n", values.join(","), row % CLASSES);
        }
        fs::write(place.at(name), text).unwrap();
    }
    let options = ["--exclude=class", "--exclude=-x", "--header", "--names", "sample"];
    let labels = ["--labels", "first.csv", "second.csv", "--label-column", "class"];
    let sources = [&["first.csv", "second.csv"], &options[..], &labels, SLOWER, OPTIONS].concat();
    let begin = |out| [&["train", "--quiet", "--out", out], &sources[..]].concat();
    place.done(&begin("whole"));
    let mut child = place.finch(&begin("run")).spawn().unwrap();
    wait_for_an_epoch(&mut child, &place.at("run"));
    child.kill().unwrap();
    child.wait().unwrap();
    let elsewhere = place.at("elsewhere");
    fs::create_dir(&elsewhere).unwrap();
    let mut resume = place.finch(&["train", "--resume", "../run", "--quiet"]);
    let output = resume.current_dir(&elsewhere).output().unwrap();
    assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
    assert_same(&place.at("run"), &place.at("whole"));
    match metrics(&place.at("run")).pop().unwrap() {
        Measurement::Clustering(clustering) => {
            assert_eq!(clustering.requested.unwrap().scores.unwrap().acc, Some(100.0));
        }
        Measurement::Epoch(_) => panic!("a run ends with a clustering"),
    }
}
