//! What a trained network makes of samples.

use std::fs;

use finch_core::Metric;
use finch_deep::train::{Config, Objective};
use ndarray::{Array1, Array2, Axis, s};
use ndarray_npy::{read_npy, write_npy};
use safetensors::SafeTensors;
use serde_json::Value;

use crate::place::{LAST, Place, gaussians, said, text};

#[test]
fn a_network_embeds_its_own_samples_as_in_training_and_others_as_well() {
    let place = Place::new();
    let run = place.train("run", &["--embedding-metric", "euclidean", "--rectified", "false"]);
    place.done(&["embed", "run", "samples.npy", "--out", "all.npy"]);
    // A folder that is missing is made, as for every file.
    place.done(&["embed", "run", "samples.npy", "--out", "new/within/all.npy"]);
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

#[test]
fn a_network_is_exported_once_and_under_its_own_kind_of_name() {
    let place = Place::new();
    place.train("run", &[]);
    assert_eq!(place.done(&["export", "run", "model.onnx"]), "");
    let model = fs::read(place.at("model.onnx")).unwrap();
    // Weights of 8 → 32 → 32.
    assert!(model.len() > 4 * (8 * 32 + 32 * 32) && model.len() < 8_000);
    assert!(place.error(&["export", "run", "model.onnx"]).contains("model.onnx is there already"));
    assert_eq!(place.done(&["export", "run", "model.onnx", "--force"]), "");
    assert_eq!(fs::read(place.at("model.onnx")).unwrap(), model);
    let output = place.output(&["export", "run", "model.bin"]);
    assert!(output.status.code() == Some(2) && text(&output.stderr).contains("name it so"));
    assert!(place.error(&["export", "none", "other.onnx"]).contains("none"));
    assert!(!place.at("other.onnx").exists());
}

/// As the README tells other programs: from the tensors of a checkpoint and the JSON beside them.
#[test]
fn a_checkpoint_is_a_network_that_any_program_can_run() {
    let place = Place::new();
    for (learnt, metric) in [("labels", "cosine"), ("graph", "cosine"), ("graph", "euclidean")] {
        let name = format!("{learnt}-{metric}");
        let first = ["train", "samples.npy", "--clusters", "4", "--epochs", "6", "--least-steps"];
        let options = ["--objectives", learnt, "--input-metric", metric, "--out", &name];
        place.done(&[&first[..], &["60", "--graph-networks", "1"], &options].concat());
        let run = place.at(&name);
        let bytes = fs::read(run.join(LAST)).unwrap();
        let tensors = SafeTensors::deserialize(&bytes).unwrap();
        let (_, metadata) = SafeTensors::read_metadata(&bytes).unwrap();
        let finch: Value =
            serde_json::from_str(&metadata.metadata().as_ref().unwrap()["finch"]).unwrap();
        let config: Config = serde_json::from_value(finch["config"].clone()).unwrap();
        let floats = |name: &str| -> Vec<f64> {
            let words = tensors.tensor(name).unwrap().data().chunks_exact(4);
            words.map(|word| f32::from_le_bytes(word.try_into().unwrap()).into()).collect()
        };
        let layer = |name: &str, x: &Array2<f64>| {
            let shape = tensors.tensor(&format!("{name}.weight")).unwrap().shape().to_vec();
            let weight = floats(&format!("{name}.weight"));
            let weight = Array2::from_shape_vec((shape[0], shape[1]), weight).unwrap();
            x.dot(&weight) + Array1::from(floats(&format!("{name}.bias")))
        };

        let learns_graph = finch["learns"] == "graph";
        assert_eq!(config.objectives == [Objective::Graph], learns_graph);
        let mut x = gaussians().mapv(f64::from);
        if learns_graph && config.input_metric == Metric::Cosine {
            let lengths = x.map_axis(Axis(1), |row| row.dot(&row).sqrt());
            x /= &lengths.insert_axis(Axis(1));
        }
        x *= finch["scale"].as_f64().unwrap();
        if learns_graph {
            x -= &Array1::from(floats("input.center"));
        }
        for name in ["hidden.0", "hidden.1"] {
            x = layer(name, &x).mapv(|x| x.max(0.0));
        }
        if learns_graph {
            x = layer("output", &x);
        }
        let embedding: Array2<f32> = read_npy(run.join("embedding.npy")).unwrap();
        let largest = x.iter().fold(0.0_f64, |largest, x| largest.max(x.abs()));
        let differences = (&x - &embedding.mapv(f64::from)).mapv(f64::abs);
        assert!(differences.iter().all(|difference| *difference < 1e-4 * largest), "{name}");
    }
}
