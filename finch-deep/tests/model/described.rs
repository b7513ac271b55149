//! What is in clusters, by definition.

use super::*;

#[test]
fn descriptions_are_in_the_unit_of_the_file() {
    let folder = folder();
    put(&folder, "x.csv", "name,a,b\np,0,5\nq,2,5\nr,30,5\ns,34,5\n");
    printed(&folder, "cluster x.csv --standardize zscore --model m.finch -q");
    let told = json(&folder, "describe m.finch --partition 0 --json --outliers 2");
    let cluster = &told["clusters"][1];
    assert_eq!((&cluster["size"], &cluster["share"]), (&2.0.into(), &0.5.into()));
    assert_eq!(cluster["exemplars"], serde_json::json!(["r", "s"]));
    // All links stay within, and chance has half of them stay.
    assert_eq!(cluster["modularity"], 0.5);
    let near = |value: &Value, expected: f64| (value.as_f64().unwrap() - expected).abs() < 1e-9;
    let feature = &cluster["features"][0];
    assert!(near(&feature["mean"], 32.0) && near(&feature["deviation"], 2.0), "{feature}");
    assert!(near(&feature["mean_outside"], 1.0));
    // 31 / numpy.std([0, 2, 30, 34])
    assert!(near(&feature["difference"], 31.0 / 15.580_436_450_882_884), "{feature}");
    assert_eq!(cluster["features"][1]["difference"], Value::Null);
    assert_eq!(cluster["apart"], serde_json::json!(["a"]));
    assert_eq!(told["outliers"].as_array().unwrap().len(), 2);
    let shown = printed(&folder, "describe m.finch --partition 0 --out d.csv");
    assert!(shown.contains("a +1.99"), "{shown}");
    let rows = columns(&fs::read_to_string(folder.path().join("d.csv")).unwrap());
    assert_eq!(rows["feature"], ["a", "b", "a", "b"]);
    assert_eq!(rows["medoid"], ["p", "p", "r", "r"]);
    assert!(failure(&folder, "describe m.finch --partition 7", 1).contains('7'));
    assert!(failure(&folder, "describe m.finch --partition 0 -k 2", 2).contains("cannot be used"));
}
