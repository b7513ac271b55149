//! The page of `finch cluster --report` and `finch describe --report`.

use std::fs;
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

use crate::browser::{has_chromium, ids, look};
use crate::common::{self, folder, put};

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
    let mut words = page.split(|letter: char| !letter.is_alphanumeric());
    assert!(!words.any(|word| ["NaN", "inf"].contains(&word)), "{line}");
    page
}

/// What one line of a command says that fails.
fn failure(folder: &TempDir, line: &str) -> String {
    let output = finch(folder, line);
    assert!(!output.status.success(), "{line}");
    String::from_utf8(output.stderr).unwrap()
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
    assert!(scaled.contains("finch began with no more") && !scaled.contains("id=\"levels\""));
    let page = page(&folder, &format!("cluster {planets}"));
    assert!(page.contains("<b>2 clusters fit best</b>: finch began with so few clusters"));
    assert!(page.contains("too few that differ, to tell"));
    assert!(page.contains("<h1>planets.csv</h1>") && page.contains(">Jupiter<"));
    assert!(page.contains("principal components"));
    // A column by its name, in the unit of the file.
    assert!(page.contains("<th scope=\"row\">density_kg_m3</th>"));
    if !has_chromium() {
        return;
    }
    for width in [1280, 390] {
        let seen = look("planets", &page, width);
        assert_eq!(seen["links"], seen["sections"]);
        assert_eq!(ids(&seen["plots"])[..2], ["map-clusters", "icicle"]);
    }
}

#[test]
fn a_table_with_classes_and_words() {
    let folder = folder();
    put(&folder, "x.csv", table(240));
    put(&folder, "y.csv", table(240));
    let line =
        format!("cluster x.csv {READING} --labels y.csv --label-column class --label-header -k 4");
    let with = page(&folder, &line);
    // What is in names stays text.
    assert!(with.contains("&lt;s0&gt;") && !with.contains("<s0>") && with.contains("x&amp;x"));
    assert!(with.contains("NMI (geometric)") && with.contains("100.0 %"));
    // The share of a word, and a mean before scaling.
    assert!(
        with.contains("colour=blue") && with.contains("<td>100.0 %</td><td>0.0 %</td>"),
        "{with}"
    );
    assert!(with.contains("At the border of the clearest cluster 0.0 % of the links"));
    assert!(with.contains("zscore") && with.contains("asked for, by neighbor linkage"));
    assert_eq!(with.matches("<article").count(), 4);
    if has_chromium() {
        for width in [1280, 390] {
            let seen = look("table", &with, width);
            let sections = [
                "clusters",
                "number",
                "map",
                "sizes",
                "outliers",
                "confusion",
                "tree",
                "levels",
                "run",
                "words",
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

/// The text between two others.
fn between<'a>(text: &'a str, start: &str, end: &str) -> &'a str {
    let rest = text.split_once(start).unwrap_or_else(|| panic!("{start} in {text}")).1;
    rest.split_once(end).unwrap().0
}

#[test]
fn the_result_comes_first_and_no_folder_is_told() {
    let folder = folder();
    put(&folder, "x.csv", table(240));
    let file = folder.path().join("x.csv");
    let (file, path) = (file.display(), folder.path().display().to_string());
    let suggested = page(&folder, &format!("cluster {file} {READING}"));
    let [verdict, cards, tree] = ["id=\"verdict\"", "id=\"clusters\"", "id=\"tree\""]
        .map(|part| suggested.find(part).unwrap());
    assert!(verdict < cards && cards < tree);
    assert!(
        between(&suggested, "id=\"verdict\">", "</p>").starts_with("<b>How many? 4 fit best.</b>")
    );
    let asked = page(&folder, &format!("cluster {file} {READING} -k 3 --model {path}/x.finch"));
    let verdict = between(&asked, "id=\"verdict\">", "</p>");
    assert!(verdict.starts_with("<b>3 clusters, as asked for"), "{verdict}");
    assert!(verdict.contains("How many? 4 fit best."), "{verdict}");
    let described = page(&folder, &format!("describe {path}/x.finch"));
    for page in [suggested, asked, described] {
        assert!(!page.contains(&path));
        // Every link leads somewhere.
        for link in page.split("href=\"#").skip(1) {
            let id = link.split('"').next().unwrap();
            assert!(page.contains(&format!(" id=\"{id}\"")), "{id}");
        }
    }
}

#[test]
fn a_cluster_has_one_number_and_one_colour_through_the_page() {
    let folder = folder();
    // Groups of four sizes, the smallest first.
    let sizes = [12, 60, 24, 36];
    let row = |group: usize, i: usize| {
        let [x, y] = [group / 2, group % 2].map(|side| side * 30);
        format!("{},{}\n", x + i * 7 % 5, y + i * 11 % 6)
    };
    let rows = sizes.iter().enumerate();
    let rows: String =
        rows.flat_map(|(group, &size)| (0..size).map(move |i| row(group, i))).collect();
    put(&folder, "x.csv", format!("x,y\n{rows}"));
    let page = page(&folder, "cluster x.csv -k 4");
    let clusters = between(&page, "id=\"clusters\"", "</section>");
    let bar: Vec<&str> = between(clusters, "<ul", "</ul>").split("<li").skip(1).collect();
    assert_eq!(bar.len(), 4);
    // The number is the label in the files, and the largest comes first.
    for (place, (cell, name)) in bar.into_iter().zip(["1", "3", "2", "0"]).enumerate() {
        let colour = format!("var(--c{place})");
        let title =
            format!("title=\"cluster {name}: {} samples", sizes[name.parse::<usize>().unwrap()]);
        assert!(cell.contains(&format!("class=\"h{place}\"")) && cell.contains(&title), "{cell}");
        let card =
            between(clusters, &format!("<article class=\"card\" id=\"cluster-{name}\">"), "</h3>");
        assert!(card.contains(&colour) && card.contains(&format!("Cluster {name}<")), "{card}");
        let map = between(&page, "id=\"map-clusters\"", "</svg>");
        let dots = map
            .split("<g class=\"tt\"")
            .find(|dots| dots.contains(&format!(", cluster {name}</title>")));
        assert!(dots.unwrap().contains(&format!("stroke=\"{colour}\"")), "{name}");
        let sizes = between(&page, "id=\"sizes\"", "</section>");
        let row = sizes
            .split("<tr>")
            .find(|row| row.contains(&format!("href=\"#cluster-{name}\"")))
            .unwrap();
        assert_eq!(row.matches(&colour).count(), 2, "{row}");
    }
    // Of other partitions neither bars nor maps have numbers, which would be taken for these.
    let tree = between(&page, "id=\"icicle\"", "</figure>");
    let others = tree.split("role=\"img\"").nth(1).unwrap();
    assert!(!others.contains("<span") && others.contains("label "));
    let maps = page
        .split("id=\"levels\"")
        .nth(1)
        .map_or("", |rest| rest.split("</section>").next().unwrap());
    assert!(!maps.contains("<text"));
}

#[test]
fn a_column_of_two_words_is_one_line_in_shares() {
    let folder = folder();
    let row = |i: usize| {
        let group = i % 3;
        let gender = if i * 7 % 10 < [8, 5, 1][group] { "Female" } else { "Male" };
        let region =
            ["North", "South", "East"][if i.is_multiple_of(5) { i / 5 % 3 } else { group }];
        format!("p{i},{gender},{},{region}\n", 20 * group + i * 5 % 9)
    };
    put(
        &folder,
        "x.csv",
        &("id,Gender,Age,Region\n".to_string() + &(0..150).map(row).collect::<String>()),
    );
    let page = page(&folder, "cluster x.csv --auto -k 3");
    let cards: Vec<&str> = page.split("<article").skip(1).collect();
    assert!(cards.iter().any(|card| card.contains("Gender=")));
    for card in cards {
        let card = card.split("</article>").next().unwrap();
        assert!(card.matches("Gender=").count() <= 1, "{card}");
        for row in
            card.split("<tr>").filter(|row| row.contains("Gender=") || row.contains("Region="))
        {
            assert_eq!(row.matches(" %</td>").count(), 2, "{row}");
            // Its word is the one that the cluster has more of.
            assert!(!row.contains("Gender=") || row.contains("<b>+"), "{row}");
        }
        // Each mean says in its column's title that it is one.
        assert!(card.contains("<th scope=\"col\">mean</th><th scope=\"col\">of others</th>"));
    }
}

#[test]
fn a_map_names_its_samples_and_axes() {
    let folder = folder();
    let rows: String = (0..60)
        .map(|i| format!("{}.5,{}\n", i % 2 * 40 + i * 3 % 7, 1000 + i % 2 * 30 + i * 5 % 8))
        .collect();
    put(&folder, "x.csv", format!("height (cm),weight <g>\n{rows}"));
    let page = page(&folder, "cluster x.csv -k 2");
    let map = between(&page, "id=\"map-clusters\"", "</svg>");
    assert_eq!(map.matches("<title>sample ").count(), 60);
    assert!(map.contains("<title>sample 59, cluster 1</title>"));
    for text in [">height (cm)</text>", ">weight &lt;g&gt;</text>", ">1010</text>", ">20</text>"] {
        assert!(map.contains(text), "{text}: {map}");
    }
    if has_chromium() {
        for width in [1280, 390] {
            look("plane", &page, width);
        }
    }
}

#[test]
fn weights_stretch_the_tree() {
    let folder = folder();
    let rows: String =
        (0..30).map(|i| format!("{},{}\n", i * i % 31 + i / 15 * 500, 1 + i / 15 * 3)).collect();
    put(&folder, "w.csv", format!("x,persons\n{rows}"));
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
    put(&folder, "x.csv", table(400));
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
    // Pixels are no features, neither on cards nor in the list of what was clustered.
    put(&folder, "p.csv", format!("pix_a,pix_b,pix_c,pix_d,pix_e,pix_f\n{rows}"));
    let named = page(&folder, "cluster p.csv --no-names --image 2x3 -k 3");
    assert!(!named.contains("pix_"));
    assert!(page(&folder, "cluster p.csv --no-names -k 3").contains("pix_"));
    let told =
        failure(&folder, "cluster x.csv --no-header --no-names --image 3x3 --report other.html");
    assert!(told.contains("9 values") && told.contains("6 features"), "{told}");
}

#[test]
fn a_page_takes_no_place_of_another_file() {
    let folder = folder();
    put(&folder, "x.csv", table(40));
    page(&folder, "cluster x.csv --drop class --drop colour");
    let line = "cluster x.csv --drop class --drop colour --report";
    for (place, words) in [
        ("page.html", "page.html is there already: choose another --report"),
        ("x.csv", "x.csv is an input"),
        ("x.csv --force", "x.csv is an input"),
        ("-", "a page is written into a file"),
        ("x.csv/page.html", "cannot write"),
    ] {
        let told = failure(&folder, &format!("{line} {place}"));
        assert!(told.contains(words), "{place}: {told}");
    }
    assert!(failure(&folder, "cluster x.csv --image 2x2").contains("--report"));
}
