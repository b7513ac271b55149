//! From C: the golden numbers, and label for label what the Rust library gives, from every layout.

mod common;

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;

use common::{C99, compile, data, root, run, scratch};
use finch_core::{Element, Finch, LinkBound, Linkage, Metric, Refine, Samples};
use ndarray::{Array1, Array2};
use ndarray_npy::ReadNpyExt;
use serde_json::Value;

const SETS: [(&str, &str, usize); 4] = [
    ("mice_protein", "mice_protein/", 8),
    ("gestalt_compound", "gestalt/gestalt_", 6),
    ("aggregation", "aggregation/aggregation_", 7),
    ("aggregation_rounded_finchrepo", "aggregation/aggregation_rounded_", 7),
];

fn program() -> PathBuf {
    let program = scratch("c").join("golden");
    let source = root().join("finch-ffi/tests/c/golden.c");
    compile("cc", &C99, &[&source], &program);
    program
}

fn load(prefix: &str) -> (Array2<f64>, Vec<i32>) {
    let open = |name: &str| File::open(data(&format!("{prefix}{name}.npy"))).unwrap();
    let truth: Array1<i32> = Array1::read_npy(open("y")).unwrap();
    (Array2::read_npy(open("X")).unwrap(), truth.to_vec())
}

fn write(path: &Path, bytes: impl IntoIterator<Item = impl IntoIterator<Item = u8>>) -> PathBuf {
    fs::write(path, bytes.into_iter().flatten().collect::<Vec<u8>>()).unwrap();
    path.to_owned()
}

/// One data set as one element type, in one setting.
struct Case<'a, A> {
    samples: &'a Array2<A>,
    element: &'a str,
    paths: [PathBuf; 3],
    metric: Metric,
    bound: LinkBound,
    clusters: usize,
}

impl<A: Element> Case<'_, A> {
    /// Runs the program: checks its labels against the Rust library, and returns its lines.
    fn run(&self, program: &Path) -> Vec<Vec<f64>> {
        let number = |value: usize| value.to_string();
        let metric = Metric::ALL.iter().position(|metric| *metric == self.metric).unwrap();
        let bound = LinkBound::ALL.iter().position(|bound| *bound == self.bound).unwrap();
        let [samples_path, truth_path, labels_path] = &self.paths;
        let (rows, columns) = self.samples.dim();
        let text = run(Command::new(program)
            .args([samples_path, truth_path])
            .args([self.element, &number(rows), &number(columns)])
            .args([metric, bound, self.clusters].map(number))
            .arg(labels_path));

        let samples = Samples::new(self.samples.view()).unwrap();
        let finch = Finch::new().metric(self.metric).link_bound(self.bound);
        let hierarchy = finch.fit(&samples).unwrap();
        let refined = [Linkage::Centroid, Linkage::Ward].map(|linkage| {
            let refine = Refine::new(self.clusters).linkage(linkage);
            refine.run(&samples, &hierarchy).unwrap()
        });
        let all = hierarchy.partitions().iter().chain(&refined);
        let expected: Vec<u8> = all
            .flat_map(|partition| partition.labels())
            .flat_map(|label| label.to_ne_bytes())
            .collect();
        assert!(
            fs::read(labels_path).unwrap() == expected,
            "labels differ from the Rust library's"
        );
        let line = |line: &str| line.split(' ').map(|word| word.parse().unwrap()).collect();
        text.lines().map(line).collect()
    }
}

#[test]
fn labels_and_scores_are_the_golden_ones() {
    let program = program();
    let folder = scratch("golden");
    let golden = fs::read_to_string(data("golden/partitions.json")).unwrap();
    let golden: Value = serde_json::from_str(&golden).unwrap();
    let mut checked = 0;
    for (name, prefix, clusters) in SETS {
        let (doubles, truth) = load(prefix);
        let singles = doubles.mapv(|value| value as f32);
        let path = |kind: &str| folder.join(format!("{name}.{kind}"));
        let truth_path = write(&path("truth"), truth.iter().map(|label| label.to_ne_bytes()));
        let f64_path = write(&path("f64"), doubles.iter().map(|value| value.to_ne_bytes()));
        let f32_path = write(&path("f32"), singles.iter().map(|value| value.to_ne_bytes()));
        for metric in Metric::ALL.iter().copied() {
            for bound in LinkBound::ALL.iter().copied() {
                let paths =
                    |samples: &PathBuf| [samples.clone(), truth_path.clone(), path("labels")];
                let paths_of_doubles = paths(&f64_path);
                let case = Case {
                    samples: &doubles,
                    element: "f64",
                    paths: paths_of_doubles,
                    metric,
                    bound,
                    clusters,
                };
                let lines = case.run(&program);
                let paths = paths(&f32_path);
                Case { samples: &singles, element: "f32", paths, metric, bound, clusters }
                    .run(&program);
                // Golden numbers are of f64.
                let key = format!("{name}/{metric}/{}", bound.name().replace('-', "_"));
                if let Some(expected) = golden.get(&key) {
                    assert_golden(&lines, expected, &key);
                    checked += 1;
                }
            }
        }
    }
    let of_sets =
        |key: &&String| SETS.iter().any(|(name, ..)| key.starts_with(&format!("{name}/")));
    assert_eq!(checked, golden.as_object().unwrap().keys().filter(of_sets).count());
    assert!(checked > 0);
}

/// Lines of cluster count, purity, NMI and ACC, against percentages with 4, 2 and 2 decimals.
fn assert_golden(lines: &[Vec<f64>], expected: &Value, key: &str) {
    assert_eq!(lines.len(), expected["clusters"].as_array().unwrap().len(), "{key}");
    for (partition, line) in lines.iter().enumerate() {
        let expected = |name: &str| expected[name][partition].as_f64().unwrap();
        assert_eq!(line[0], expected("clusters"), "{key}");
        for (column, (name, decimals)) in
            [("purity", 4), ("nmi_geometric", 2), ("acc", 2)].into_iter().enumerate()
        {
            let (found, expected) = (100.0 * line[1 + column], expected(name));
            let rounding = 0.5 * 10f64.powi(-decimals) + 1e-9;
            assert!(
                (found - expected).abs() <= rounding,
                "{key} {name}: {found} is not {expected}"
            );
        }
    }
}
