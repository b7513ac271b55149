//! Saving, predicting, extending, drawing.

use super::*;

#[test]
fn rows_of_the_model_are_predicted_as_they_were_clustered() {
    let folder = folder();
    put(&folder, "x.csv", table(0..60));
    let line = format!("cluster x.csv {READING} -k 5 --model m.finch -q --out l.csv");
    printed(&folder, &line);
    let labels = columns(&fs::read_to_string(folder.path().join("l.csv")).unwrap());
    for (labelling, column) in [("0", "partition_0"), ("requested", "requested")] {
        let line = format!("predict m.finch x.csv --labelling {labelling}");
        let found = columns(&printed(&folder, &line));
        assert_eq!(found["label"], labels[column]);
        assert_eq!(found["name"], labels["name"]);
        assert_eq!(found["neighbor_name"], found["name"]);
        assert!(found["distance"].iter().all(|distance| distance == "0"));
        assert!(found["confidence"].iter().all(|confidence| confidence == "1"));
    }
    let (near, told) = done(&folder, "predict m.finch x.csv --neighbors approximate --recall 0.9");
    let near = columns(&near);
    assert_eq!((&near["neighbor_name"], &near["label"]), (&near["name"], &labels["requested"]));
    assert!(!near.contains_key("confidence") && told.contains("recall 1.0000"), "{told}");
    // The columns are found by their names, in any order, with others between, and scaled as then: of
    // a single row no deviation could be taken.
    put(&folder, "one.csv", "colour,id,b,a\nblue,7,NA,20.4\n");
    let found = columns(&printed(&folder, "predict m.finch one.csv --no-names"));
    // Its nearest is row 56: blue without a number, too, and 20.2.
    let label = labels["requested"][56].clone();
    assert_eq!((&found["row"], &found["label"]), (&vec!["0".into()], &vec![label]));
    let other = found["other_distance"][0].parse::<f64>().unwrap();
    assert!(found["distance"][0].parse::<f64>().unwrap() <= other);
    // Without samples: means, and no names of neighbours.
    printed(&folder, &format!("cluster x.csv {READING} -k 3 -m t.finch --without-samples -q"));
    let found = columns(&printed(&folder, "predict t.finch x.csv"));
    assert_eq!(found["label"], found["neighbor"]);
    assert!(!found.contains_key("neighbor_name"));
    assert!(failure(&folder, "suggest t.finch", 1).contains("the model has no samples"));
}

/// Whoever uses a model hears of it what its maker heard: in a line of its own, and not by `--quiet`.
#[test]
fn a_model_says_what_its_hierarchy_said() {
    let folder = folder();
    let line: String = (0..40).map(|row| format!("{row}\n")).collect();
    put(&folder, "line.csv", format!("x\n{line}"));
    put(&folder, "zeros.csv", "x,y\n1,0\n1,0.1\n0,0\n0,1\n0.1,1\n0,0\n");
    for (name, options, sentence) in [
        ("line", "--metric euclidean", "of the first neighbours are ties"),
        ("zeros", "--metric cosine", "2 samples are all zeros"),
    ] {
        let (_, told) =
            done(&folder, &format!("cluster {name}.csv {options} --model {name}.finch"));
        assert_eq!(told.matches(sentence).count(), 1, "{told}");
        for line in [
            format!("predict {name}.finch {name}.csv"),
            format!("suggest {name}.finch"),
            format!("describe {name}.finch --partition 0"),
        ] {
            let (_, told) = done(&folder, &line);
            assert_eq!(told.matches(sentence).count(), 1, "{line}: {told}");
            assert_eq!(done(&folder, &format!("{line} -q")).1, "", "{line}");
        }
    }
}

/// New samples of zeros have no cluster in a model without any.
#[test]
fn new_samples_that_nothing_is_near_are_told() {
    let folder = folder();
    put(&folder, "x.csv", "x,y\n1,0\n1,0.1\n0,1\n0.1,1\n");
    put(&folder, "new.csv", "x,y\n1,0\n0,0\n");
    done(&folder, "cluster x.csv --metric cosine --model x.finch");
    let (_, told) = done(&folder, "predict x.finch new.csv");
    assert!(told.contains("near new sample 1 (from 0)"), "{told}");
    assert_eq!(done(&folder, "predict x.finch new.csv -q").1, "");
    assert!(!done(&folder, "predict x.finch x.csv").1.contains("zeros"));
}

#[test]
fn what_does_not_fit_is_said_by_name_and_nothing_is_written() {
    let folder = folder();
    put(&folder, "x.csv", table(0..30));
    printed(&folder, &format!("cluster x.csv {READING} --model m.finch -q"));
    put(&folder, "lacks.csv", "name,a,colour\nx,1,red\n");
    let told = failure(&folder, "predict m.finch lacks.csv --out p.csv", 1);
    assert!(told.contains("no column \"b\"") && told.contains("name, a, colour"), "{told}");
    put(&folder, "kind.csv", "name,a,b,colour\nx,2024-01-01,3,red\n");
    let told = failure(&folder, "predict m.finch kind.csv --out p.csv", 1);
    assert!(told.contains("column \"a\" is of dates here, and of numbers"), "{told}");
    put(&folder, "three.csv", "x,1,2\n");
    let told = failure(&folder, "predict m.finch three.csv --no-header --out p.csv", 1);
    assert!(told.contains("there is no column 3"), "{told}");
    put(&folder, "five.csv", "x,1,2,red,7\n");
    let told = failure(&folder, "predict m.finch five.csv --no-header --out p.csv", 1);
    assert!(told.contains("5 columns here, and 4 where the model was made"), "{told}");
    ndarray_npy::write_npy(folder.path().join("wide.npy"), &ndarray::Array2::<f64>::ones((2, 6)))
        .unwrap();
    let told = failure(&folder, "predict m.finch wide.npy --out p.csv", 1);
    assert!(
        told.contains("6 features here, and 5 where the model was made: a, b, colour="),
        "{told}"
    );
    let (_, told) = {
        put(&folder, "word.csv", "name,a,b,colour\nx,1,3,pink\n");
        done(&folder, "predict m.finch word.csv --out word_p.csv")
    };
    assert!(told.contains("does not know: \"pink\""), "{told}");
    let told = failure(&folder, "predict m.finch x.csv --labelling 9", 1);
    assert!(told.contains("no labelling \"9\""), "{told}");
    assert!(failure(&folder, "predict x.csv x.csv", 1).contains("x.csv: "));
    assert!(failure(&folder, "predict m.finch x.csv --out p.txt", 2).contains(".csv"));
    assert!(!folder.path().join("p.csv").exists());
    // Nothing is overwritten without --force, and an input never.
    let line = format!("cluster x.csv {READING} --model x.csv --force");
    assert!(failure(&folder, &line, 1).contains("x.csv is an input"));
    let line = format!("cluster x.csv {READING} --model m.finch");
    assert!(failure(&folder, &line, 1).contains("choose another --model"));
    assert!(failure(&folder, "predict m.finch x.csv --out word_p.csv", 1).contains("--force"));
    printed(&folder, &format!("cluster x.csv {READING} --model m.finch -q --force"));
    // A damaged model is told.
    let mut bytes = fs::read(folder.path().join("m.finch")).unwrap();
    let last = bytes.len() - 3;
    bytes[last] ^= 1;
    put(&folder, "bad.finch", bytes);
    assert!(failure(&folder, "predict bad.finch x.csv", 1).contains("checksum"));
}

#[test]
fn extending_is_clustering_anew_and_labels_stay() {
    let folder = folder();
    put(&folder, "x.csv", table(0..45));
    put(&folder, "new.csv", table(45..60));
    put(&folder, "all.csv", table(0..60));
    // Unscaled, since the scales of all rows would be others.
    let reading = "--exclude b --exclude colour";
    printed(
        &folder,
        &format!("cluster x.csv {reading} -k 3 --suggest --model m.finch -q -o l.csv"),
    );
    let told = json(&folder, "extend m.finch new.csv --model n.finch --out e.csv --json");
    assert_eq!(told["samples"], 60);
    assert_eq!(told["labellings"][0]["labelling"], "0");
    printed(&folder, &format!("cluster all.csv {reading} -k 3 --suggest -q -o a.csv"));
    let read = |name: &str| columns(&fs::read_to_string(folder.path().join(name)).unwrap());
    let (old, extended, anew) = (read("l.csv"), read("e.csv"), read("a.csv"));
    assert_eq!(extended["name"], anew["name"]);
    assert_eq!(extended.len(), anew.len());
    for (name, labels) in &anew {
        // The same clusters, whatever they are called.
        let pairs: std::collections::HashSet<_> = labels.iter().zip(&extended[name]).collect();
        let distinct: std::collections::HashSet<_> = labels.iter().collect();
        assert_eq!(pairs.len(), distinct.len(), "{name}");
    }
    assert_eq!(extended["requested"][..45], old["requested"]);
    // The new model predicts by the names, and may be extended in its place.
    let found = columns(&printed(&folder, "predict n.finch new.csv --labelling 0"));
    assert_eq!(found["label"], extended["partition_0"][45..]);
    let told = failure(&folder, "extend n.finch new.csv --model n.finch -q", 1);
    assert!(
        told.contains(
            "new.csv: 15 of 15 samples have names that the model has already, such as \"s45\""
        ) && told.contains("--same-names"),
        "{told}"
    );
    assert!(failure(&folder, "extend m.finch new.csv --model n.finch -q", 1).contains("--force"));
    printed(&folder, "extend n.finch new.csv --model n.finch -q --same-names");
    assert_eq!(json(&folder, "suggest n.finch --json")["samples"], 75);
}

#[test]
fn trees_neighbours_and_suggestions() {
    let folder = folder();
    put(&folder, "x.csv", "name,a\np,0\nq,1\nr,10\n\"s t\",12\n");
    printed(&folder, "cluster x.csv --model m.finch -q");
    let newick = printed(&folder, "tree x.csv -q");
    assert_eq!(newick, "((p:0.5,q:0.5):1.5,(r:1,'s t':1):1);\n");
    assert_eq!(printed(&folder, "tree m.finch"), newick);
    let linkage = printed(&folder, "tree m.finch --format scipy");
    assert_eq!(linkage, "0,1,0.5,2\n2,3,1,2\n4,5,2,4\n");
    assert!(printed(&folder, "tree m.finch --format dot").contains("[label=\"s t\"]"));
    assert_eq!(json(&folder, "tree m.finch --linkage ward --format json")["count"], 4);
    printed(&folder, "tree x.csv --format scipy --out z.npy -q --input-format csv");
    assert!(fs::read(folder.path().join("z.npy")).unwrap().starts_with(b"\x93NUMPY"));

    let found = columns(&printed(&folder, "neighbors m.finch -k 2 -q"));
    assert_eq!(found["index_0"], ["1", "0", "3", "2"]);
    assert_eq!(found["distance_1"], ["10", "9", "9", "11"]);
    printed(&folder, "neighbors x.csv -k 3 -q --out n.npz");
    let file = fs::File::open(folder.path().join("n.npz")).unwrap();
    let mut archive = names_in_archive(file);
    archive.sort();
    assert_eq!(archive, ["distance.npy", "index.npy"]);
    assert!(failure(&folder, "neighbors x.csv -k 4 -q", 1).contains('3'));
    assert!(failure(&folder, "neighbors x.csv -k 1 --out n.mat", 2).contains(".npz"));

    put(&folder, "y.csv", table(0..60));
    let line = format!("suggest y.csv {READING} --json --out s.csv");
    let told = json(&folder, &line);
    assert_eq!(told["scores"][0]["clusters"], 2);
    let labels = columns(&fs::read_to_string(folder.path().join("s.csv")).unwrap());
    let distinct: std::collections::HashSet<_> = labels["suggested"].iter().collect();
    assert_eq!(told["clusters"], distinct.len());
}

fn names_in_archive(file: fs::File) -> Vec<String> {
    let archive = zip::ZipArchive::new(file).unwrap();
    archive.file_names().map(|name| name.unwrap().into_owned()).collect()
}

#[test]
fn weights_count_as_repeated_rows() {
    let folder = folder();
    let rows: Vec<(f64, usize)> = (0..20).map(|i| ((i * i % 37) as f64, 1 + i % 3)).collect();
    let of = |(value, weight): &(f64, usize)| format!("{value},{weight}\n");
    put(&folder, "w.csv", "a,w\n".to_string() + &rows.iter().map(of).collect::<String>());
    let values: String = rows.iter().map(|(value, _)| format!("{value}\n")).collect();
    put(&folder, "plain.csv", "a\n".to_string() + &values);
    let weights: String = rows.iter().map(|(_, weight)| format!("{weight}\n")).collect();
    put(&folder, "weights.txt", weights);
    let repeated: String =
        rows.iter().map(|(value, weight)| format!("{value}\n").repeat(*weight)).collect();
    put(&folder, "repeated.csv", "a\n".to_string() + &repeated);
    printed(&folder, "cluster w.csv --weight-column w -k 4 -q -o by_column.csv");
    printed(&folder, "cluster plain.csv --weights weights.txt -k 4 -q -o by_file.csv");
    printed(&folder, "cluster repeated.csv -k 4 -q -o repeated_labels.csv");
    let read = |name: &str| columns(&fs::read_to_string(folder.path().join(name)).unwrap());
    let (by_column, by_file, all) =
        (read("by_column.csv"), read("by_file.csv"), read("repeated_labels.csv"));
    assert_eq!(by_column, by_file);
    for (name, labels) in all.iter().filter(|(name, _)| *name != "row") {
        let each = by_column[name].iter().zip(&rows);
        let expected: Vec<_> = each.flat_map(|(label, (_, w))| vec![label.clone(); *w]).collect();
        assert_eq!(*labels, expected, "{name}");
    }
    assert!(failure(&folder, "cluster plain.csv --weights repeated.csv", 1).contains("weights"));
    assert!(failure(&folder, "cluster w.csv --weight-column v", 1).contains("no column \"v\""));
    put(&folder, "bad.csv", "a,w\n1,2\n3,zero\n4,1\n");
    assert!(
        failure(&folder, "cluster bad.csv --weight-column w", 1).contains("\"zero\" is no weight")
    );
    put(&folder, "zero.csv", "a,w\n1,2\n3,0\n4,1\n");
    assert!(failure(&folder, "cluster zero.csv --weight-column w", 1).contains("weight"));
}

/// Times of a column, in numbers and dates, and of a file.
#[test]
fn times_part_what_takes_turns() {
    let folder = folder();
    let values = [0.0, 0.3, 9.0, 9.3, 0.1, 0.15];
    let days =
        ["2024-02-28", "2024-02-29", "2024-03-01", "2024-03-02T12:30", "2024-03-04", "2024-03-05"];
    let rows = |what: &dyn Fn(usize) -> String| {
        let row = |i: usize| format!("{},{}\n", values[i], what(i));
        "a,when\n".to_string() + &(0..6).map(row).collect::<String>()
    };
    put(&folder, "numbers.csv", rows(&|i| format!("{}", 10 * i)));
    put(&folder, "days.csv", rows(&|i| days[i].into()));
    put(
        &folder,
        "plain.csv",
        "a\n".to_string() + &values.map(|value| format!("{value}\n")).concat(),
    );
    put(&folder, "times.txt", (0..6).map(|i| format!("{i}\n")).collect::<String>());
    for line in [
        "cluster numbers.csv --time when -q -o labels.csv --force",
        "cluster days.csv --time when --segments -k 2 -q -o labels.csv --force",
        "cluster plain.csv --times times.txt -k 2 -q -o labels.csv --force",
    ] {
        printed(&folder, line);
        let labels = columns(&fs::read_to_string(folder.path().join("labels.csv")).unwrap());
        assert_eq!(labels["partition_0"].concat(), "001122", "{line}");
        assert!(
            !line.contains("segments")
                || ["000011", "001111"].contains(&&*labels["requested"].concat())
        );
    }
    let found = json(&folder, "cluster plain.csv --times times.txt -k 2 --json");
    assert_eq!(found["requested"]["linkage"], "centroid");
    put(&folder, "bad.csv", "a,when\n1,2\n3,2024-02-30\n4,1\n");
    let told = failure(&folder, "cluster bad.csv --time when", 1);
    assert!(told.contains("row 1 (from 0), column \"when\": \"2024-02-30\" is no time"), "{told}");
    for line in ["cluster numbers.csv --segments", "cluster numbers.csv --time when --suggest"] {
        failure(&folder, line, 2);
    }
}

#[test]
fn requested_clusters_keep_rules() {
    let folder = folder();
    let value = |i: usize| [0.0, 1.0, 10.0][i % 3] + i as f64 / 50.0;
    let rows: String = (0..12).map(|i| format!("s{i},{}\n", value(i))).collect();
    put(&folder, "x.csv", "name,a\n".to_string() + &rows);
    let values: String = (0..12).map(|i| format!("{}\n", value(i))).collect();
    put(&folder, "plain.csv", "a\n".to_string() + &values);
    put(&folder, "together.txt", "s0 s1\n\ns3,s5\n");
    put(&folder, "apart.txt", "s0\ts2\n");
    put(&folder, "rows.txt", "0 2\n");
    let requested = |line: &str, out: &str| {
        printed(&folder, &format!("cluster {line} -k 2 -q -o {out}"));
        let labels = columns(&fs::read_to_string(folder.path().join(out)).unwrap());
        labels["requested"].clone()
    };
    let pairs = "--must-link together.txt --cannot-link apart.txt --min-size 5 --max-size 7";
    let labels = requested(&format!("x.csv {pairs}"), "named.csv");
    assert!(labels[0] == labels[1] && labels[3] == labels[5] && labels[0] != labels[2]);
    let size = labels.iter().filter(|label| **label == labels[0]).count();
    assert!((5..=7).contains(&size), "{size}");
    let together = requested("plain.csv --must-link rows.txt --suggest", "by_row.csv");
    assert_eq!(together[0], together[2]);
    for (line, told) in [
        ("x.csv -k 2 --must-link apart.txt --cannot-link apart.txt", "samples 0 and 2"),
        ("x.csv -k 2 --must-link rows.txt", "no sample \"0\": samples go by their names"),
        ("plain.csv -k 2 --must-link apart.txt", "apart.txt, line 1: there is no sample \"s0\""),
        ("x.csv -k 2 --must-link x.csv", "there is no sample \"name\""),
        ("x.csv -k 2 --max-size 5", "5 cannot be the greatest size"),
    ] {
        let failed = failure(&folder, &format!("cluster {line}"), 1);
        assert!(failed.contains(told), "{failed}");
    }
}

#[test]
fn completions_and_manuals() {
    let folder = folder();
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let text = printed(&folder, &format!("completions {shell}"));
        assert!(text.contains("predict") && text.contains("without-samples"), "{shell}");
    }
    assert!(printed(&folder, "man").contains(".TH FINCH 1"));
    printed(&folder, "man --out man1");
    let page = fs::read_to_string(folder.path().join("man1/finch-predict.1")).unwrap();
    assert!(page.contains("labelling"));
}
