//! Training on the graph of nearest neighbours.

use std::fs;

use finch_deep::metrics::{Clustering, Effect, Measurement, Source, Voice};
use ndarray::{Array1, Array2, Axis, concatenate, s};
use ndarray_npy::{read_npy, write_npy};

use crate::place::{Place, SAMPLES, assert_same, gaussians, metrics};

/// The arguments of a run that learns enough.
fn arguments<'a>(input: &'a str, out: &'a str, options: &[&'a str]) -> Vec<&'a str> {
    let first = [
        "train",
        input,
        "--objectives",
        "graph",
        "--graph-networks",
        "1",
        "--out",
        out,
        "--clusters",
        "4",
        "--hidden",
        "32,32",
    ];
    [&first[..], &["--epochs", "6", "--least-steps", "400"], options].concat()
}

fn last_clustering(place: &Place, run: &str) -> Clustering {
    match metrics(&place.at(run)).pop().unwrap() {
        Measurement::Clustering(clustering) => *clustering,
        Measurement::Epoch(_) => panic!("a run ends with a clustering"),
    }
}

fn requested(place: &Place, run: &str) -> Array1<i32> {
    read_npy(place.at(run).join("requested.npy")).unwrap()
}

#[test]
fn neighbours_stay_near_and_a_run_is_the_same_on_any_threads_and_after_a_pause() {
    let place = Place::new();
    let labels = ["--labels", "classes.txt", "--threads", "1"];
    let said = place.done(&arguments("samples.npy", "run", &labels));
    assert!(
        said.contains(
            "training changed nothing: the clusters of the embedding, from the graph are those of"
        ),
        "{said}"
    );
    let last = last_clustering(&place, "run");
    assert_eq!(last.requested.unwrap().scores.unwrap().acc, Some(100.0));
    let verdict = last.verdict.unwrap();
    assert!(!verdict.helped() && last.pseudo_labels.is_none());
    assert_eq!(verdict.training, Effect::ChangedNothing);
    let page = fs::read_to_string(place.at("run/report.html")).unwrap();
    assert!(page.contains("Training changed nothing") && !page.contains("raining helped"));
    let embedding: Array2<f32> = read_npy(place.at("run/embedding.npy")).unwrap();
    assert_eq!(embedding.dim(), (SAMPLES, 10));
    let losses: Vec<f64> = metrics(&place.at("run"))
        .iter()
        .filter_map(|metric| match metric {
            Measurement::Epoch(epoch) => Some(epoch.loss),
            Measurement::Clustering(_) => None,
        })
        .collect();
    assert!(losses.len() == 6 && losses[5] < 0.9 * losses[0], "{losses:?}");

    place.done(&arguments("samples.npy", "again", &["--labels", "classes.txt", "--threads", "2"]));
    assert_same(&place.at("again"), &place.at("run"));
    for steps in [1, 3, 7] {
        let run = place.unfinished(&place.at("run"), &format!("after-{steps}"), steps);
        place.done(&["train", "--resume", run.to_str().unwrap(), "--quiet"]);
        assert_same(&run, &place.at("run"));
    }
    place.done(&["embed", "run", "samples.npy", "--out", "all.npy"]);
    let all: Array2<f32> = read_npy(place.at("all.npy")).unwrap();
    assert_eq!(all, embedding);
}

/// A network that has learnt nothing writes all samples into one dimension.
#[test]
fn where_training_does_not_help_the_result_is_that_of_the_input() {
    let place = Place::new();
    let nothing = ["--dimensions", "1", "--learning-rate", "1e-12", "--labels", "classes.txt"];
    let said = place.done(&arguments("samples.npy", "run", &nothing));
    let sentence = "training did not help here, and the result is the input's clusters: embedding, from the \
                    graph (less modular than the input, and without a say)";
    assert!(said.contains(sentence), "{said}");
    let last = last_clustering(&place, "run");
    assert!(!last.verdict.unwrap().helped());
    assert_eq!(last.requested.unwrap().scores.unwrap().acc, Some(100.0));
    place.done(&["cluster", "samples.npy", "--metric", "cosine", "--clusters", "4", "--out", "in"]);
    for name in ["labels.npy", "requested.npy"] {
        let [found, input] = ["run", "in"].map(|run| fs::read(place.at(run).join(name)).unwrap());
        assert!(found == input, "{name}");
    }
    let page = fs::read_to_string(place.at("run/report.html")).unwrap();
    assert!(page.contains("Training did not help here"));
}

/// The network that learns labels, and then two that learn the graph; the first is what is kept.
#[test]
fn the_result_is_what_both_embeddings_and_the_input_agree_on_after_any_pause() {
    let place = Place::new();
    let arguments = |out: &str, threads: &str| {
        let first = "train samples.npy --clusters 4 --hidden 32,32 --epochs 3 --relabel-every 1";
        let more = format!("--batch 64 --least-steps 100 --labels classes.txt --threads {threads}");
        format!("{first} {more} --out {out}")
    };
    let done = |text: String| place.done(&text.split(' ').collect::<Vec<_>>());
    let said = done(arguments("run", "1"));
    assert!(said.contains("the clusters of the consensus"), "{said}");
    let run = place.at("run");
    let last = last_clustering(&place, "run");
    assert_eq!((last.epoch, last.requested.unwrap().scores.unwrap().acc), (9, Some(100.0)));
    let verdict = last.verdict.unwrap();
    let sources: Vec<Source> = verdict.candidates.iter().map(|one| one.source).collect();
    let learnt = [Source::Labels, Source::Graph, Source::SecondGraph];
    assert_eq!(sources, [&[Source::Input][..], &learnt, &[Source::Consensus]].concat());
    // Each is judged in the embedding of a network that it does not come from, and finds the same clusters.
    for candidate in &verdict.candidates[1..4] {
        assert!(candidate.separation.unwrap().abs() < 1e-9, "{candidate:?}");
        let of_labels = candidate.source == Source::Labels;
        assert_eq!(candidate.stability, (!of_labels).then_some(100.0));
    }
    let voices: Vec<Voice> = verdict.candidates.iter().map(|one| one.voice).collect();
    let sound = Voice::Sound;
    assert_eq!(voices, [Voice::Input, sound, sound, Voice::Judge, sound]);
    assert_eq!(verdict.result, Source::Consensus);
    // What learns the graph learns no labels.
    let clusterings = metrics(&run);
    let clusterings = clusterings.iter().filter_map(Measurement::clustering);
    let epochs: Vec<(usize, bool)> =
        clusterings.map(|one| (one.epoch, one.pseudo_labels.is_some())).collect();
    assert_eq!(epochs, [(0, true), (1, true), (2, true), (3, false), (6, false), (9, false)]);

    done(arguments("again", "2"));
    assert_same(&place.at("again"), &run);
    for steps in [1, 2, 3, 5, 7, 8, 10, 11, 12, 14] {
        let part = place.unfinished(&run, &format!("after-{steps}"), steps);
        // Whatever was trained so far can be used.
        let embeds = ["embed", part.to_str().unwrap(), "samples.npy", "--out", "part.npy"];
        match steps {
            1 => assert!(place.error(&embeds).contains("not trained yet"), "{steps}"),
            _ => assert_eq!(place.done(&[&embeds[..], &["--force"]].concat()), ""),
        }
        place.done(&["train", "--resume", part.to_str().unwrap(), "--quiet"]);
        assert_same(&part, &run);
    }
    place.done(&["embed", "run", "samples.npy", "--out", "all.npy"]);
    let [all, embedding] = ["all.npy", "run/embedding.npy"]
        .map(|name| read_npy::<_, Array2<f32>>(place.at(name)).unwrap());
    assert_eq!(all, embedding);
}

/// Few samples, copies of samples, and one class that has nearly all.
#[test]
fn any_set_of_two_clusters_or_more_can_be_learnt() {
    let place = Place::new();
    let all = gaussians();
    let few = all.slice(s![..8, ..]).to_owned();
    let copies = concatenate![Axis(0), few, few, few, few];
    let of_one: Vec<usize> = (0..SAMPLES).filter(|i| i % 4 == 0 || *i < 12).collect();
    for (name, matrix, clusters) in [
        ("few", few.clone(), "4"),
        ("copies", copies, "4"),
        ("uneven", all.select(Axis(0), &of_one), "2"),
        ("equal", Array2::ones((40, 3)), "2"),
    ] {
        let file = format!("{name}.npy");
        write_npy(place.at(&file), &matrix).unwrap();
        let first = ["train", &file, "--out", name, "--clusters", clusters, "--hidden", "16"];
        place.done(&[&first[..], &["--epochs", "2", "--least-steps", "48", "--quiet"]].concat());
        let requested = requested(&place, name);
        assert_eq!(requested.len(), matrix.nrows());
        assert_eq!(requested.iter().max().unwrap() + 1, clusters.parse::<i32>().unwrap());
    }
}
