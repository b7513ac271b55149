//! The page of a training run.

use std::time::Instant;

use finch_core::{Finch, Hierarchy, Linkage, Metric as Distance, Refine, Samples};
use finch_deep::data::{self, LabelOptions, Matrix, ReadOptions};
use finch_deep::metrics::Measurement;
use finch_deep::report::{Input, Report, Truth};
use finch_deep::scores::Percentages;
use ndarray::{Array2, ArrayView2};
use serde_json::json;

use crate::browser::{has_chromium, ids, look};
use crate::common;

/// Samples, their classes, and the clusters that FINCH finds among them.
struct Data {
    samples: Array2<f32>,
    metric: Distance,
    classes: Vec<u32>,
    hierarchy: Hierarchy,
    clusters: Vec<u32>,
}

impl Data {
    /// The samples and classes of a file, in K clusters, where the file is at hand.
    fn load(name: &str, metric: Distance, k: usize) -> Option<Self> {
        let path = [common::large(name)?];
        let input = data::read(&path, &ReadOptions::default()).unwrap();
        let samples = match input.matrix() {
            Matrix::F64(matrix) => matrix.mapv(|value| value as f32),
            Matrix::F32(matrix) => matrix.to_owned(),
            Matrix::U8(matrix) => matrix.mapv(f32::from),
        };
        let mut labels = data::read_labels(&path, &LabelOptions::default()).unwrap();
        let classes = labels.columns.remove(0).labels;
        let view = Samples::new(samples.view()).unwrap();
        let finch = Finch::new().metric(metric);
        let kept = Linkage::Neighbor.neighbors(samples.nrows());
        let hierarchy = finch.keep_neighbors(kept).fit(&view).unwrap();
        let refine = Refine::new(k).linkage(Linkage::Neighbor).from(0);
        let clusters = refine.run(&view, &hierarchy).unwrap().labels().to_vec();
        Some(Self { samples, metric, classes, hierarchy, clusters })
    }

    /// What a run of three rounds of ten epochs could have measured; all but the first clustering
    /// is made up.
    fn metrics(&self) -> Vec<Measurement> {
        let level = |labels: &[u32], clusters, better: f64| {
            let scores = Percentages::of(labels, &self.classes).unwrap();
            let mut level = serde_json::to_value(scores).unwrap();
            for measure in ["acc", "nmi", "ari", "purity"] {
                let value = level[measure].as_f64().unwrap();
                level[measure] = json!(value + (100.0 - value) * better);
            }
            level["clusters"] = json!(clusters);
            level
        };
        let k = *self.clusters.iter().max().unwrap() as usize + 1;
        let clustering = |round: usize| {
            let better = 0.3 * round as f64 / (1.0 + 0.3 * round as f64);
            let partitions = self.hierarchy.partitions().iter().map(|partition| {
                let clusters = (partition.clusters() as f64 * (1.0 - 0.6 * better)) as usize;
                level(partition.labels(), clusters, better)
            });
            let pseudo_labels = self.hierarchy.cluster_counts()[1] - 7 * round;
            json!({
                "event": "clustering",
                "epoch": 10 * round,
                "partitions": partitions.collect::<Vec<_>>(),
                "requested": level(&self.clusters, k, better),
                "pseudo_labels": (round < 3).then_some(pseudo_labels),
                "agreement": (round > 0).then_some(70.0 + 25.0 * better),
            })
        };
        let epoch = |epoch: usize| {
            let (round, within) = ((epoch - 1) / 10, (epoch - 1) % 10);
            let height = 2.9 / (1.0 + 0.6 * round as f64);
            json!({
                "event": "epoch",
                "epoch": epoch,
                "loss": height * (-0.35 * within as f64).exp() + 0.2,
                "accuracy": 99.0 - 60.0 * (-0.4 * within as f64).exp() / (1 + round) as f64,
                "learning_rate": if within < 8 { 0.01 } else { 0.001 },
                "samples_per_second": 14_080.0 + within as f64,
            })
        };
        let mut lines = vec![clustering(0)];
        for round in 0..3 {
            lines.extend((1..=10).map(|within| epoch(10 * round + within)));
            lines.push(clustering(round + 1));
        }
        lines.into_iter().map(|line| serde_json::from_value(line).unwrap()).collect()
    }
}

/// Facts that a run could have.
fn facts() -> Vec<(String, String)> {
    let facts = [
        ("input", "data/usps.npz"),
        ("features", "256"),
        ("network", "256 → 512 → 512 → pseudo-labels"),
        ("backend", "flex, 2 threads"),
        ("seed", "1"),
        ("time", "2 min 31 s"),
        ("finch", "0.1.0"),
    ];
    facts.map(|(name, value)| (name.into(), value.into())).into()
}

const CONFIG: &str = "\
clusters = 10
seed = 1

[train]
rounds = 3
epochs = 10
batch = 256
learning_rate = 0.01
";

fn page(report: &Report<'_>) -> String {
    let mut page = Vec::new();
    report.write(&mut page).unwrap();
    String::from_utf8(page).unwrap()
}

const CHARTS: [&str; 6] =
    ["partitions", "scores", "agreement", "loss", "accuracy", "learning-rate"];

fn without_scores(mut metric: Measurement) -> Measurement {
    if let Measurement::Clustering(clustering) = &mut metric {
        for level in clustering.partitions.iter_mut().chain(&mut clustering.requested) {
            level.scores = None;
        }
    }
    metric
}

#[test]
fn usps_with_ten_classes_and_without() {
    let Some(data) = Data::load("usps.npz", Distance::Euclidean, 10) else { return };
    let (metrics, facts) = (data.metrics(), facts());
    let report = Report {
        title: "runs/usps-2026-11-21",
        facts: &facts,
        config: CONFIG,
        metrics: &metrics,
        embedding: data.samples.view(),
        distance: data.metric,
        labels: &data.clusters,
        input: Some(Input {
            samples: data.samples.view().into(),
            metric: data.metric,
            neighbors: data.hierarchy.neighbors(),
            names: None,
            columns: None,
            prepared: None,
            image: Some("16x16".parse().unwrap()),
        }),
        truth: Some(Truth { labels: &data.classes, names: &[] }),
        seed: 1,
    };
    let start = Instant::now();
    let with = page(&report);
    println!("USPS: {:?}, {} bytes", start.elapsed(), with.len());
    assert!(with.len() < 1_000_000, "{}", with.len());
    assert!(!with.contains("http:") && !with.contains("https:") && !with.contains("NaN"));
    assert!(with.contains("5,000 of the 9,298 samples"));
    // Without the truth nobody can score clusters.
    let unscored: Vec<Measurement> = metrics.iter().cloned().map(without_scores).collect();
    let without = page(&Report { truth: None, metrics: &unscored, input: None, ..report.clone() });
    assert!(!without.contains("data:image"));
    // A mean, a medoid and five more of each cluster.
    assert_eq!(with.matches("src=\"data:image/png;base64,").count(), 70);
    assert_eq!(with.matches("% of nearest neighbours are in the cluster").count(), 10);
    // Bar and table lead to each card; and no pixel is a feature.
    assert_eq!(with.matches("<a href=\"#cluster-").count(), 20);
    assert!(!with.contains("<th scope=\"row\">feature "));
    if !has_chromium() {
        return;
    }
    for width in [1280, 390] {
        let seen = look("usps", &with, width);
        let mut expected = vec!["map-clusters", "map-input", "map-classes", "map-input-classes"];
        expected.push("confusion-matrix");
        expected.extend(CHARTS);
        assert_eq!(ids(&seen["plots"]), expected);
        let sections =
            ["clusters", "map", "sizes", "confusion", "clusterings", "training", "run", "words"];
        assert_eq!(ids(&seen["sections"]), sections);
        assert_eq!(seen["links"], seen["sections"]);
        assert_eq!(seen["headings"][0], "runs/usps-2026-11-21");
    }
    let seen = look("usps-no-truth", &without, 1280);
    let mut expected = vec!["map-clusters"];
    expected.extend(CHARTS.iter().filter(|&&chart| chart != "scores"));
    assert_eq!(ids(&seen["plots"]), expected);
    let sections = ["map", "sizes", "clusterings", "training", "run", "words"];
    assert_eq!(ids(&seen["sections"]), sections);
    assert!(!without.contains("ACC") && !without.contains("true class"));
}

#[test]
fn reuters_with_65_classes() {
    let name = "reuters21578_65_tfidf2000.npz";
    let Some(data) = Data::load(name, Distance::Cosine, 65) else { return };
    let metrics = data.metrics();
    let names: Vec<String> = (0..65).map(|class| format!("topic {class}")).collect();
    let report = Report {
        title: "runs/reuters",
        facts: &facts(),
        config: CONFIG,
        metrics: &metrics,
        embedding: data.samples.view(),
        distance: data.metric,
        labels: &data.clusters,
        input: Some(Input {
            samples: data.samples.view().into(),
            metric: data.metric,
            neighbors: None,
            names: None,
            columns: None,
            prepared: None,
            image: None,
        }),
        truth: Some(Truth { labels: &data.classes, names: &names }),
        seed: 1,
    };
    let start = Instant::now();
    let page = page(&report);
    println!("Reuters: {:?}, {} bytes", start.elapsed(), page.len());
    assert!(page.len() < 1_000_000, "{}", page.len());
    assert_eq!(page.matches("<article").count(), 60);
    if has_chromium() {
        for width in [1280, 390] {
            look("reuters", &page, width);
        }
    }
}

/// The report of a run with little in it.
fn bare<'a>(embedding: ArrayView2<'a, f32>, labels: &'a [u32]) -> Report<'a> {
    Report {
        title: "bare",
        facts: &[],
        config: "",
        metrics: &[],
        embedding,
        distance: Distance::Euclidean,
        labels,
        input: None,
        truth: None,
        seed: 0,
    }
}

#[test]
fn texts_are_escaped() {
    let evil = "</style></pre><script>alert(\"1\")</script>&amp;<img src=x onerror='alert(2)'>";
    let embedding = Array2::from_shape_fn((30, 3), |(i, j)| (i * i + j) as f32);
    let labels: Vec<u32> = (0..30).map(|i| i % 3).collect();
    let facts = [(evil.to_string(), evil.to_string())];
    let names = [evil.to_string(), "$x^2$ <b>".to_string()];
    let report = Report {
        title: evil,
        facts: &facts,
        config: evil,
        truth: Some(Truth { labels: &labels, names: &names }),
        ..bare(embedding.view(), &labels)
    };
    let page = page(&report);
    assert!(!page.contains("<script") && !page.contains("<img") && !page.contains("<b>"));
    if has_chromium() {
        let seen = look("escaped", &page, 1280);
        assert_eq!(seen["headings"][0], evil);
        assert_eq!(seen["title"], format!("{evil} – finch"));
    }
}

#[test]
fn little_and_degenerate() {
    let blob = |n: usize| Array2::from_shape_fn((n, 4), |(i, j)| ((i + 3) * (j + 2) % 11) as f32);
    // But for the words of a page.
    let sections =
        |page: &str| page.matches("<section").count() - page.matches("id=\"words\"").count();
    for n in [0, 1, 2, 3, 4, 40] {
        let labels = vec![5; n];
        let embedding = blob(n);
        let alone = bare(embedding.view(), &labels);
        let truth = Some(Truth { labels: &labels, names: &[] });
        for report in [alone.clone(), Report { truth, ..alone }] {
            let page = page(&report);
            assert!(!page.contains("NaN") && !page.contains("inf"), "{n}");
            assert_eq!(sections(&page), usize::from(n > 0) + usize::from(n > 1), "{n}");
        }
    }
    // Nothing to see on a map of one place, or of values that are not finite.
    let mut broken = blob(40);
    broken[[1, 1]] = f32::INFINITY;
    for embedding in [Array2::zeros((40, 4)), Array2::zeros((40, 0)), broken] {
        assert_eq!(sections(&page(&bare(embedding.view(), &[1; 40]))), 1);
    }
    // Measures that are not finite, and a run that stopped at once.
    let lines = [
        json!({"event": "epoch", "epoch": 1, "loss": 1e300, "accuracy": 0.0, "learning_rate": 0.0,
            "samples_per_second": 0.0}),
        json!({"event": "clustering", "epoch": 0, "partitions": [], "requested": null,
            "pseudo_labels": null, "agreement": null}),
    ];
    let mut metrics: Vec<Measurement> =
        lines.map(|line| serde_json::from_value(line).unwrap()).to_vec();
    let embedding = blob(40);
    for loss in [1.0, f64::NAN, f64::INFINITY] {
        if let Measurement::Epoch(epoch) = &mut metrics[0] {
            epoch.loss = loss;
        }
        let page = page(&Report { metrics: &metrics, ..bare(embedding.view(), &[1; 40]) });
        assert!(!page.contains("NaN") && !page.contains("inf"));
        assert_eq!(sections(&page), 4);
    }
}

#[test]
fn three_hundred_clusters() {
    let embedding = Array2::from_shape_fn((900, 8), |(i, j)| {
        ((i % 300) * (j + 7) % 101) as f32 + (i / 300) as f32 * 0.1
    });
    let labels: Vec<u32> = (0..900).map(|i| i % 300).collect();
    let classes: Vec<u32> = labels.iter().map(|label| label % 10).collect();
    let truth = Some(Truth { labels: &classes, names: &[] });
    let page = page(&Report { truth, ..bare(embedding.view(), &labels) });
    assert!(page.contains("280 smaller clusters") && page.contains("the 80 largest are shown"));
    if has_chromium() {
        let seen = look("300", &page, 1280);
        assert_eq!(ids(&seen["plots"]), ["map-clusters", "map-classes", "confusion-matrix"]);
    }
}

#[test]
fn too_many_to_match() {
    let embedding = Array2::from_shape_fn((1500, 2), |(i, j)| (i * (j + 3) % 1009) as f32);
    let labels: Vec<u32> = (0..1500).collect();
    let truth = Some(Truth { labels: &labels, names: &[] });
    let page = page(&Report { truth, ..bare(embedding.view(), &labels) });
    assert!(page.contains("1,500 clusters and 1,500 classes are too many"));
    assert!(page.contains("And 500 more, of 500 samples together."));
}

#[test]
fn the_same_bytes_whatever_the_threads() {
    let embedding = Array2::from_shape_fn((300, 16), |(i, j)| {
        (i % 5 * (j + 1) % 7) as f32 + ((i * 31 + j * 17) % 23) as f32 * 0.02
    });
    let labels: Vec<u32> = (0..300).map(|i| i % 5).collect();
    let with = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| page(&bare(embedding.view(), &labels)))
    };
    let one = with(1);
    assert!(one.contains("t-SNE"));
    assert!((2..5).all(|threads| with(threads) == one));
}

#[test]
fn lengths_that_differ() {
    let embedding = Array2::<f32>::zeros((3, 2));
    let truth = Some(Truth { labels: &[1, 2], names: &[] });
    let labels = [0, 0, 1];
    let wrong = [
        (bare(embedding.view(), &[0; 4]), "4 labels of 3 samples"),
        (Report { truth, ..bare(embedding.view(), &labels) }, "2 classes of 3 samples"),
    ];
    for (report, expected) in wrong {
        let mut page = Vec::new();
        let error = report.write(&mut page).unwrap_err();
        assert_eq!(error.kind(), std::io::ErrorKind::InvalidInput);
        assert_eq!(error.to_string(), expected);
        assert!(page.is_empty());
    }
}
