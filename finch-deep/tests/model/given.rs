//! Neighbours and distances that the caller brings.

use ndarray::{Array2, Axis, s};
use ndarray_npy::{ReadNpyExt, write_npy};

use super::*;

/// Three groups of 20 rows.
fn rows() -> Array2<f64> {
    Array2::from_shape_fn((60, 2), |(i, j)| {
        (i % 3 * 50) as f64 + ((i * 37 + j * 11) % 41) as f64 / 7.0 + (i * i % 13) as f64
    })
}

fn labels(folder: &TempDir, line: &str) -> HashMap<String, Vec<String>> {
    printed(folder, &format!("{line} -q -o l.csv --force"));
    columns(&fs::read_to_string(folder.path().join("l.csv")).unwrap())
}

#[test]
fn known_neighbors_are_those_that_a_search_would_find() {
    let folder = folder();
    write_npy(folder.path().join("x.npy"), &rows()).unwrap();
    let searched = labels(&folder, "cluster x.npy -k 4 --suggest");
    printed(&folder, "neighbors x.npy -k 12 --out n.npz");
    printed(&folder, "neighbors x.npy -k 12 --out n.csv");
    printed(&folder, "neighbors x.npy -k 12 --out i.npy");
    let csv = columns(&fs::read_to_string(folder.path().join("n.csv")).unwrap());
    let distance =
        |(i, j): (usize, usize)| csv[&format!("distance_{j}")][i].parse::<f64>().unwrap();
    write_npy(folder.path().join("d.npy"), &Array2::from_shape_fn((60, 12), distance)).unwrap();
    for table in ["n.npz", "n.csv", "i.npy --known-distances d.npy"] {
        let line = format!("cluster x.npy --known-neighbors {table} -k 4 --suggest");
        assert_eq!(labels(&folder, &line), searched, "{table}");
        // A graph alone has the first partition of the samples.
        let graph = labels(&folder, &format!("cluster --known-neighbors {table} --suggest"));
        assert_eq!(graph["partition_0"], searched["partition_0"], "{table}");
        assert_eq!(graph["suggested"].len(), 60);
    }
    // Not what a search would find: each row's neighbour is the row before.
    let before = Array2::from_shape_fn((60, 1), |(i, _)| (i as i32 + 59) % 60);
    write_npy(folder.path().join("i.npy"), &before).unwrap();
    write_npy(folder.path().join("d.npy"), &Array2::<f64>::ones((60, 1))).unwrap();
    let line = "cluster x.npy --known-neighbors i.npy --known-distances d.npy";
    assert!(labels(&folder, line)["partition_0"].iter().all(|label| label == "0"));
}

/// −1, infinity and NaN end the list of their own row alone.
#[test]
fn known_neighbors_of_a_row_are_as_many_as_it_has() {
    let folder = folder();
    write_npy(folder.path().join("x.npy"), &rows()).unwrap();
    printed(&folder, "neighbors x.npy -k 12 --out n.csv");
    let csv = columns(&fs::read_to_string(folder.path().join("n.csv")).unwrap());
    let index = |(i, j): (usize, usize)| csv[&format!("index_{j}")][i].parse::<i64>().unwrap();
    let distance =
        |(i, j): (usize, usize)| csv[&format!("distance_{j}")][i].parse::<f64>().unwrap();
    let mut index = Array2::from_shape_fn((60, 12), index);
    let mut distance = Array2::from_shape_fn((60, 12), distance);
    index.slice_mut(s![0, 2..]).fill(-1);
    distance.slice_mut(s![0, 2..]).fill(f64::NAN);
    distance.slice_mut(s![1, 5..]).fill(f64::INFINITY);
    // Nobody is near to the last, which is near to others.
    index.row_mut(59).fill(-1);
    write_npy(folder.path().join("i.npy"), &index).unwrap();
    write_npy(folder.path().join("d.npy"), &distance).unwrap();
    let known = "--known-neighbors i.npy --known-distances d.npy -k 3";
    let groups: Vec<String> = (0..60).map(|i| (i % 3).to_string()).collect();
    assert_eq!(labels(&folder, &format!("cluster {known}"))["requested"], groups);
    assert_eq!(labels(&folder, &format!("cluster x.npy {known}"))["requested"], groups);
}

#[test]
fn whether_there_are_clusters_has_three_answers() {
    let folder = folder();
    let mut state = 1_u64;
    let mut uniform = || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as f64 / (1_u64 << 31) as f64
    };
    let ages = Array2::from_shape_simple_fn((3_000, 1), || {
        (0..12).map(|_| uniform()).sum::<f64>().mul_add(12.0, -32.0).round()
    });
    let cases = [
        (rows(), "yes", Value::Bool(true)),
        (ages, "no", Value::Bool(false)),
        (rows().slice(s![..9, ..]).to_owned(), "too few to tell", Value::Null),
    ];
    for (matrix, answer, has) in cases {
        write_npy(folder.path().join("x.npy"), &matrix).unwrap();
        let told = json(&folder, "suggest x.npy --json");
        assert_eq!((&told["clustered"], &told["has_clusters"]), (&answer.into(), &has));
        let text = printed(&folder, "suggest x.npy");
        assert_eq!(text.contains("to tell whether"), answer == "too few to tell", "{text}");
        assert_eq!(text.contains("there may be none"), answer == "no", "{text}");
    }
}

#[test]
fn distances_of_all_pairs_take_the_place_of_samples() {
    let folder = folder();
    let x = rows();
    let pair = |(i, j)| (&x.row(i) - &x.row(j)).mapv(|d: f64| d * d).sum().sqrt();
    let pairs = Array2::from_shape_fn((60, 60), pair);
    write_npy(folder.path().join("x.npy"), &x).unwrap();
    write_npy(folder.path().join("d.npy"), &pairs).unwrap();
    let searched = labels(&folder, "cluster x.npy");
    let found = labels(&folder, "cluster d.npy --precomputed -k 3 --suggest --model m.finch");
    assert_eq!(found["partition_0"], searched["partition_0"]);
    let groups: Vec<String> = (0..60).map(|i| (i % 3).to_string()).collect();
    assert_eq!(found["requested"], groups);
    let tree = printed(&folder, "tree m.finch --format newick");
    assert!(tree.trim().ends_with(';') && tree.contains("59:"), "{tree}");
    // Names of rows are names of samples.
    let lines = pairs.axis_iter(Axis(0)).enumerate().map(|(i, row)| {
        let row: Vec<String> = row.iter().map(f64::to_string).collect();
        format!("s{i},{}\n", row.join(","))
    });
    put(&folder, "d.csv", lines.collect::<String>());
    let named = labels(&folder, "cluster d.csv --precomputed");
    assert_eq!((&named["name"][59], &named["partition_0"]), (&"s59".into(), &found["partition_0"]));
}

#[test]
fn what_is_wrong_with_them_is_said() {
    let folder = folder();
    let x = rows();
    write_npy(folder.path().join("x.npy"), &x).unwrap();
    printed(&folder, "neighbors x.npy -k 3 --out i.npy");
    let index = fs::File::open(folder.path().join("i.npy")).unwrap();
    let index = Array2::<i32>::read_npy(index).unwrap();
    let put_table = |name: &str, table: &Array2<f64>| {
        write_npy(folder.path().join(name), table).unwrap();
    };
    put_table("d.npy", &Array2::ones((60, 3)));
    let mut bad = index.mapv(f64::from);
    bad[(7, 1)] = 60.0;
    put_table("beyond.npy", &bad);
    bad[(7, 1)] = 0.5;
    put_table("half.npy", &bad);
    put_table("short.npy", &index.slice(s![..9, ..]).mapv(f64::from));
    put_table("negative.npy", &Array2::from_elem((60, 3), -1.0));
    let with = |table: &str, distances: &str| {
        format!("cluster x.npy --known-neighbors {table} --known-distances {distances} --out o.csv")
    };
    for (line, code, words) in [
        ("cluster x.npy --known-neighbors i.npy".into(), 1, "--known-distances"),
        (with("beyond.npy", "d.npy"), 1, "neighbour 60 at row 7, column 1"),
        (with("half.npy", "d.npy"), 1, "0.5 at row 7, column 1"),
        (with("short.npy", "d.npy"), 1, "60 x 3"),
        (with("i.npy", "negative.npy"), 1, "-1"),
        (with("i.npy", "none.npy"), 1, "none.npy"),
        ("cluster --suggest".into(), 2, "INPUT"),
        ("cluster x.npy --known-distances d.npy".into(), 2, "--known-neighbors"),
        ("cluster x.npy --precomputed".into(), 1, "60 x 2"),
        ("cluster x.npy --precomputed --known-neighbors i.npy".into(), 2, "cannot be used"),
        ("cluster x.npy --precomputed --weights w.txt".into(), 2, "cannot be used"),
    ] {
        let told = failure(&folder, &line, code);
        assert!(told.contains(words), "{line}: {told}");
        assert!(!folder.path().join("o.csv").exists(), "{line}");
    }
}

#[test]
fn too_few_known_neighbours_are_told_where_clusters_are_suggested() {
    let folder = folder();
    let rows: String = (0..40).map(|at| format!("{}.{at},{}\n", 10 * (at % 4), at % 3)).collect();
    put(&folder, "x.csv", format!("a,b\n{rows}"));
    for (k, is_told) in [(1, true), (8, false)] {
        done(&folder, &format!("neighbors x.csv -k {k} -o known.npz --force --quiet"));
        let (_, told) = done(&folder, "cluster x.csv --known-neighbors known.npz --suggest");
        assert_eq!(told.contains("too few to suggest"), is_told, "{told}");
    }
    put(&folder, "apart.csv", "0,1,5\n1,0,5\n5,5,0\n");
    for option in ["--log", "--standardize zscore", "--missing mean"] {
        let told = failure(&folder, &format!("cluster apart.csv --precomputed {option}"), 2);
        assert!(told.contains("are about samples"), "{told}");
    }
}
