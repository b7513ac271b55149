//! The rows that samples are of, where some were left out or a new file has its columns in another order.

use ndarray::{Array1, array};
use ndarray_npy::write_npy;

use crate::*;

/// Seven rows, the third of which lacks a value.
const GAP: &str = "a,b\n0,0\n0,1\nnan,3\n5,5\n5,6\n9,9\n9,8\n";

#[test]
fn rows_keep_their_numbers_where_others_are_left_out() {
    let folder = folder();
    put(&folder, "gap.csv", GAP);
    let found = printed(&folder, "neighbors gap.csv --missing drop -k 1 --quiet");
    let found = columns(&found);
    assert_eq!(found["row"], ["0", "1", "2", "3", "4", "5", "6"]);
    assert_eq!(found["index_0"], ["1", "0", "", "4", "3", "6", "5"]);
    let described = json(&folder, "describe gap.csv --missing drop -k 3 --json --outliers 1");
    let all: Vec<&str> = described["clusters"]
        .as_array()
        .unwrap()
        .iter()
        .flat_map(|cluster| cluster["exemplars"].as_array().unwrap())
        .map(|name| name.as_str().unwrap())
        .collect();
    assert!(all.contains(&"6") && !all.contains(&"2"), "{all:?}");
    done(&folder, "cluster gap.csv --missing drop -k 3 --model kept --quiet");
    let tree = printed(&folder, "tree kept --format newick");
    assert!(tree.contains("6:") && !tree.contains("2:"), "{tree}");
    put(&folder, "new.csv", "a,b\n5.1,5\n");
    let found = printed(&folder, "predict kept new.csv --quiet");
    assert!(found.lines().nth(1).unwrap().contains(",3"), "{found}");
    // Numbers of later rows are above those of the first file.
    put(&folder, "more.csv", "a,b\n5.2,5\n");
    let extended = printed(&folder, "extend kept more.csv --model more --out - --quiet");
    let names = &columns(&extended)["name"];
    assert_eq!(names[..], ["0", "1", "3", "4", "5", "6", "7"], "{extended}");
}

#[test]
fn the_column_of_names_is_found_by_its_name() {
    let folder = folder();
    put(&folder, "old.csv", "name,a,b\nn0,0,0\nn1,0,1\nn2,5,5\nn3,5,6\n");
    done(&folder, "cluster old.csv -k 2 --model kept --quiet");
    put(&folder, "new.csv", "a,name,b\n0,n0,0\n5,n9,5\n");
    let found = printed(&folder, "predict kept new.csv --quiet");
    assert_eq!(columns(&found)["name"], ["n0", "n9"]);
    let told = failure(&folder, "extend kept new.csv --model more", 1);
    assert!(told.contains("names that the model has already"), "{told}");
    // A table without names is one of rows.
    put(&folder, "bare.csv", "b,a\n0,0\n5,5\n");
    assert_eq!(columns(&printed(&folder, "predict kept bare.csv --quiet"))["row"], ["0", "1"]);
}

#[test]
fn a_new_table_is_told_what_it_can_do() {
    let folder = folder();
    put(&folder, "old.csv", "name,a,b\nn0,0,0\nn1,0,1\nn2,5,5\nn3,5,6\n");
    done(&folder, "cluster old.csv -k 2 --model kept --quiet");
    for (table, said) in [
        ("name,a,b\nq,nan,1\n", "line 2, column \"a\": the value is missing, and nothing fills it"),
        (
            "name,a,b\nq,word,1\n",
            "line 2, column \"a\": \"word\" is not a number, as this column had",
        ),
    ] {
        put(&folder, "new.csv", table);
        for line in ["predict kept new.csv", "extend kept new.csv --model more"] {
            let told = failure(&folder, line, 1);
            assert!(told.contains(said) && !told.contains("--exclude"), "{line}: {told}");
        }
    }
}

#[test]
fn a_list_of_numbers_is_one_for_each_sample() {
    let folder = folder();
    let samples = array![[0.0, 0.0], [0.0, 1.0], [5.0, 5.0], [5.0, 6.0]];
    write_npy(folder.path().join("x.npy"), &samples).unwrap();
    write_npy(folder.path().join("ones.npy"), &Array1::from_elem(4, 1.0)).unwrap();
    write_npy(folder.path().join("times.npy"), &array![0_i64, 1, 2, 3]).unwrap();
    let plain = printed(&folder, "cluster x.npy -o - --quiet");
    assert_eq!(printed(&folder, "cluster x.npy --weights ones.npy -o - --quiet"), plain);
    done(&folder, "cluster x.npy --times times.npy --quiet");
    // As samples a list is none.
    let told = failure(&folder, "cluster ones.npy", 1);
    assert!(told.contains("samples are a matrix of rows"), "{told}");
}
