//! The page of `finch cluster --report` and `finch describe --report`.

use std::fs;
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

use crate::browser::{has_chromium, ids, look};
use crate::common;

fn finch(folder: &TempDir, line: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_finch"));
    command.args(line.split(' ')).current_dir(folder.path()).stdin(Stdio::null());
    command.output().unwrap()
}

/// The page that a command writes that succeeds.
fn page(folder: &TempDir, line: &str) -> String {
    let output = finch(folder, &format!("{line} --report page.html --force -q"));
    assert!(output.status.success(), "{line}: {}", String::from_utf8_lossy(&output.stderr));
    let page = fs::read_to_string(folder.path().join("page.html")).unwrap();
    assert!(!page.contains("NaN") && !page.contains("inf"), "{line}");
    page
}

/// What one line of a command says that fails.
fn failure(folder: &TempDir, line: &str) -> String {
    let output = finch(folder, line);
    assert!(!output.status.success(), "{line}");
    String::from_utf8(output.stderr).unwrap()
}

fn folder() -> TempDir {
    TempDir::new().unwrap()
}

fn put(folder: &TempDir, name: &str, content: &str) {
    fs::write(folder.path().join(name), content).unwrap();
}

/// Groups of samples at the corners of a square, in which some are near each other.
fn table(rows: usize) -> String {
    let row = |i: usize| {
        let (group, within) = (i % 4, (i * 29 % 97) as f64 / 97.0);
        let [x, y] = [group / 2, group % 2].map(|side| side as f64 * 10.0);
        let word = ["red", "green", "blue", "red"][group];
        let spread = (i * 13 % 31) as f64 / 31.0;
        format!("<s{i}>,{},{},{spread},{word},{}\n", x + within, y + spread, group)
    };
    "name,x&x,y,noise,colour,class\n".to_string() + &(0..rows).map(row).collect::<String>()
}

const READING: &str = "--categorical colour --drop class --standardize zscore";

#[test]
fn planets() {
    let folder = folder();
    let planets = common::data("planets.csv").display().to_string();
    let scaled = page(&folder, &format!("cluster {planets} --standardize zscore"));
    assert!(
        scaled.contains("the finest partition has no more") && !scaled.contains("id=\"levels\"")
    );
    let page = page(&folder, &format!("cluster {planets}"));
    assert!(page.contains("2 clusters</b> are suggested: with so few clusters"));
    assert!(page.contains("too few that differ, to tell"));
    assert!(page.contains("<h1>planets.csv</h1>") && page.contains(">Jupiter<"));
    assert!(page.contains("principal components"));
    // A column by its name, in the unit of the file.
    assert!(page.contains("<span>density_kg_m3</span>"));
    if !has_chromium() {
        return;
    }
    for width in [1280, 390] {
        let seen = look("planets", &page, width);
        assert_eq!(seen["links"], seen["sections"]);
        assert_eq!(ids(&seen["plots"])[0], "icicle");
    }
}

#[test]
fn a_table_with_classes_and_words() {
    let folder = folder();
    put(&folder, "x.csv", &table(240));
    put(&folder, "y.csv", &table(240));
    let line =
        format!("cluster x.csv {READING} --labels y.csv --label-column class --label-header -k 4");
    let with = page(&folder, &line);
    // What is in names stays text.
    assert!(with.contains("&lt;s0&gt;") && !with.contains("<s0>") && with.contains("x&amp;x"));
    assert!(with.contains("NMI (geometric)") && with.contains("100.0 %"));
    // The share of a word, and a mean before scaling.
    assert!(with.contains("colour=blue") && with.contains("100.0 %, others 0.0 %"), "{with}");
    assert!(with.contains("There seem to be clusters: at the border of the clearest one 0.0 %"));
    assert!(with.contains("zscore") && with.contains("asked for, by neighbor linkage"));
    assert_eq!(with.matches("<article").count(), 4);
    if has_chromium() {
        for width in [1280, 390] {
            let seen = look("table", &with, width);
            let sections = [
                "tree",
                "number",
                "map",
                "clusters",
                "sizes",
                "outliers",
                "confusion",
                "levels",
                "run",
            ];
            assert_eq!(ids(&seen["sections"]), sections);
            assert_eq!(seen["links"], seen["sections"]);
        }
    }
    // The same of a model, which knows no classes.
    page(&folder, &format!("cluster x.csv {READING} -k 4 --model x.finch"));
    let of_model = page(&folder, "describe x.finch");
    let cards = |page: &str| {
        page.split("<article")
            .skip(1)
            .map(|card| card.split("</article>").next().unwrap().to_string())
            .collect::<Vec<_>>()
    };
    assert_eq!(cards(&of_model), cards(&with));
    assert!(of_model.contains("finch describe") && !of_model.contains("NMI"));
    let finest = page(&folder, "describe x.finch --partition 0");
    assert!(finest.contains("partition 0"));
}

#[test]
fn weights_stretch_the_tree() {
    let folder = folder();
    let rows: String =
        (0..30).map(|i| format!("{},{}\n", i * i % 31 + i / 15 * 500, 1 + i / 15 * 3)).collect();
    put(&folder, "w.csv", &format!("x,persons\n{rows}"));
    let page = page(&folder, "cluster w.csv --weight-column persons -k 2");
    assert!(page.contains("its samples weigh") && page.contains(", weight 60"));
    for row in page.split("<div class=\"row").skip(1) {
        let widths = row.split("</div>").next().unwrap().split("flex:").skip(1);
        let widths = widths.map(|width| width.split('"').next().unwrap().parse::<f64>().unwrap());
        assert_eq!(widths.sum::<f64>(), 75.0);
    }
    assert!(page.contains(">weight of all samples</dt><dd>75</dd>"));
}

#[test]
fn little_and_degenerate() {
    let folder = folder();
    for (name, text) in [
        ("one", "1,2\n".to_string()),
        ("two", "1,2\n3,4\n".into()),
        ("equal", "1,2\n".repeat(30)),
        ("one partition", "0\n1\n3\n".into()),
        ("far", (0..40).map(|i| format!("{},{}\n", i % 7, f64::from(i % 5) * 1e30)).collect()),
    ] {
        put(&folder, "x.csv", &text);
        let page = page(&folder, "cluster x.csv --no-header --no-names");
        assert!(page.contains("id=\"tree\"") && page.contains("<article"), "{name}");
        assert_eq!(page.contains("id=\"map\""), !["one", "equal"].contains(&name), "{name}");
    }
}

#[test]
fn the_same_bytes_whatever_the_threads() {
    let folder = folder();
    put(&folder, "x.csv", &table(400));
    let untimed = |threads: usize| {
        let page = page(&folder, &format!("cluster x.csv {READING} --threads {threads}"));
        page.split("<dt>time</dt>").next().unwrap().to_string()
    };
    let one = untimed(1);
    assert!(one.contains("t-SNE"));
    assert_eq!(untimed(3), one);
}

#[test]
fn images_are_shown() {
    let folder = folder();
    let rows: String = (0..48)
        .map(|i| {
            let pixel = |j: usize| ((i % 3 == j) as usize * 200 + i * (j + 3) % 20).to_string();
            (0..6).map(pixel).collect::<Vec<_>>().join(",") + "\n"
        })
        .collect();
    put(&folder, "x.csv", &rows);
    let with = page(&folder, "cluster x.csv --no-header --no-names --image 2x3 -k 3");
    // A mean and six exemplars of each cluster.
    let cards = with.split("id=\"clusters\"").nth(1).unwrap().split("</section>").next().unwrap();
    assert_eq!(cards.matches("src=\"data:image/png;base64,").count(), 21);
    let told =
        failure(&folder, "cluster x.csv --no-header --no-names --image 3x3 --report other.html");
    assert!(told.contains("9 values") && told.contains("6 features"), "{told}");
}

#[test]
fn a_page_takes_no_place_of_another_file() {
    let folder = folder();
    put(&folder, "x.csv", &table(40));
    page(&folder, "cluster x.csv --drop class --drop colour");
    let line = "cluster x.csv --drop class --drop colour --report";
    for (place, words) in [
        ("page.html", "page.html is there already: choose another --report"),
        ("x.csv", "x.csv is an input"),
        ("x.csv --force", "x.csv is an input"),
        ("-", "a page is written into a file"),
    ] {
        let told = failure(&folder, &format!("{line} {place}"));
        assert!(told.contains(words), "{place}: {told}");
    }
    assert!(
        failure(&folder, "cluster x.csv --drop class --drop colour --report no/page.html")
            .contains("cannot write")
    );
    assert!(failure(&folder, "cluster x.csv --image 2x2").contains("--report"));
}
