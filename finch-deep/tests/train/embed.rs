//! What a trained network makes of samples.

use std::fs;

use ndarray::{Array2, s};
use ndarray_npy::{read_npy, write_npy};
use serde_json::Value;

use crate::place::{Place, gaussians, said};

#[test]
fn a_network_embeds_its_own_samples_as_in_training_and_others_as_well() {
    let place = Place::new();
    let run = place.train("run", &["--embedding-metric", "euclidean", "--rectified", "false"]);
    place.done(&["embed", "run", "samples.npy", "--out", "all.npy"]);
    let all = fs::read(place.at("all.npy")).unwrap();
    assert_eq!(all, fs::read(run.join("embedding.npy")).unwrap());
    // Rows are embedded one by one: neither the other rows of the file matter, nor the file's type.
    let all: Array2<f32> = read_npy(place.at("all.npy")).unwrap();
    assert!(all.iter().any(|value| *value < 0.0), "not rectified");
    let part = gaussians().slice(s![100..333;-1, ..]).mapv(f64::from);
    write_npy(place.at("part.npy"), &part).unwrap();
    place.done(&["embed", "run", "part.npy", "--out", "part-embedding.npy"]);
    let part: Array2<f32> = read_npy(place.at("part-embedding.npy")).unwrap();
    assert_eq!(part, all.slice(s![100..333;-1, ..]));

    // Both steps at once.
    let arguments = ["cluster", "--embed", "run", "samples.npy", "--clusters", "4", "--json"];
    let found: Value = serde_json::from_str(&place.done(&arguments)).unwrap();
    assert_eq!(found["metric"], "euclidean");
    assert_eq!((&found["features"], &found["requested"]["clusters"]), (&32.into(), &4.into()));
    let arguments = ["cluster", "all.npy", "--clusters", "4", "--json", "--metric", "euclidean"];
    let separate: Value = serde_json::from_str(&place.done(&arguments)).unwrap();
    for key in ["partitions", "requested", "features", "samples", "metric"] {
        assert_eq!(found[key], separate[key], "{key}");
    }
    let arguments = ["cluster", "--embed", "run", "samples.npy", "--metric", "cosine", "--json"];
    let found: Value = serde_json::from_str(&place.done(&arguments)).unwrap();
    assert_eq!(found["metric"], "cosine");

    let output = place.output(&["embed", "run", "missing.npy", "--out", "none.npy"]);
    assert!(said(&output).contains("missing.npy"));
    let mut bad = gaussians();
    bad[[7, 2]] = f32::INFINITY;
    write_npy(place.at("bad.npy"), &bad).unwrap();
    let text = place.error(&["embed", "run", "bad.npy", "--out", "none.npy"]);
    assert!(text.contains("bad.npy: ") && text.contains("row 7, column 2"), "{text}");
    let text = place.error(&["cluster", "--embed", "run", "bad.npy"]);
    assert!(text.contains("bad.npy: ") && text.contains("row 7, column 2"), "{text}");
    assert!(!place.at("none.npy").exists());
}
