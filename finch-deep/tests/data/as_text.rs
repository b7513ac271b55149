//! Spreadsheets, JSON, ARFF, files without a known name, and rows made columns: the values of text, and faults
//! that say where.

use std::io::{Cursor, Write};
use std::path::Path;

use finch_deep::data::{
    self, Categorical, Fault, Input, LabelOptions, Missing, ReadError, ReadOptions,
};
use ndarray::{Array2, array};
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use crate::{folder, gzip, npz, put, read, values};

pub(crate) const JSON: &str =
    r#"[{"a": 1, "b": true}, {"a": 2.5e0, "b": false, "c": null}, {"c": 7}]"#;
pub(crate) const ARFF: &str = "% c\n@relation x\n@attribute a real\n@attribute b {x, 'y z'}\n@data\n1,x\n{0 2, 1 'y z'}\n?,x\n";

fn archive(parts: &[(&str, &str)]) -> Vec<u8> {
    let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, content) in parts {
        archive.start_file(*name, SimpleFileOptions::default()).unwrap();
        archive.write_all(content.as_bytes()).unwrap();
    }
    archive.finish().unwrap().into_inner()
}

/// A workbook of sheets, each its name and its rows as XML.
fn xlsx(sheets: &[(&str, &str)], strings: &str) -> Vec<u8> {
    const MAIN: &str = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
    const OFFICE: &str = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
    const PACKAGE: &str = "http://schemas.openxmlformats.org/package/2006/relationships";
    let (mut list, mut links, mut parts) = (String::new(), String::new(), Vec::new());
    for (at, (name, rows)) in sheets.iter().enumerate() {
        let number = at + 1;
        list += &format!("<sheet name=\"{name}\" sheetId=\"{number}\" r:id=\"r{number}\"/>");
        links += &format!(
            "<Relationship Id=\"r{number}\" Type=\"{OFFICE}/worksheet\" Target=\"worksheets/sheet{number}.xml\"/>"
        );
        let sheet =
            format!("<worksheet xmlns=\"{MAIN}\"><sheetData>{rows}</sheetData></worksheet>");
        parts.push((format!("xl/worksheets/sheet{number}.xml"), sheet));
    }
    let styles = format!(
        "<styleSheet xmlns=\"{MAIN}\"><cellXfs><xf numFmtId=\"0\"/><xf numFmtId=\"14\"/><xf numFmtId=\"20\"/>\
         </cellXfs></styleSheet>"
    );
    let relation = format!(
        "<Relationships xmlns=\"{PACKAGE}\"><Relationship Id=\"r1\" Type=\"{OFFICE}/officeDocument\" \
         Target=\"xl/workbook.xml\"/></Relationships>"
    );
    parts.extend([
        ("[Content_Types].xml".into(), "<Types/>".into()),
        ("_rels/.rels".into(), relation),
        (
            "xl/workbook.xml".into(),
            format!(
                "<workbook xmlns=\"{MAIN}\" xmlns:r=\"{OFFICE}\"><sheets>{list}</sheets></workbook>"
            ),
        ),
        (
            "xl/_rels/workbook.xml.rels".into(),
            format!("<Relationships xmlns=\"{PACKAGE}\">{links}</Relationships>"),
        ),
        ("xl/styles.xml".into(), styles),
        ("xl/sharedStrings.xml".into(), format!("<sst xmlns=\"{MAIN}\" {strings}</sst>")),
    ]);
    let parts: Vec<(&str, &str)> = parts.iter().map(|(a, b)| (a.as_str(), b.as_str())).collect();
    archive(&parts)
}

const STRINGS: &str =
    "uniqueCount=\"3\"><si><t>a</t></si><si><t>when, so</t></si><si><t>ok</t></si>";

/// Rows that begin at B3, with an error, a date, a truth value, a formula and an empty row between.
const ROWS: &str = "<row r=\"3\"><c r=\"B3\" t=\"s\"><v>0</v></c><c r=\"C3\" t=\"s\"><v>1</v></c>\
    <c r=\"D3\" t=\"s\"><v>2</v></c></row>\
    <row r=\"4\"><c r=\"B4\"><v>1.5</v></c><c r=\"C4\" s=\"1\"><v>45351</v></c><c r=\"D4\" t=\"b\"><v>1</v></c></row>\
    <row r=\"6\"><c r=\"B6\" t=\"e\"><v>#DIV/0!</v></c><c r=\"C6\" s=\"1\"><v>45352.5</v></c>\
    <c r=\"D6\" t=\"b\"><v>0</v></c></row>\
    <row r=\"7\"><c r=\"B7\"><f>SUM(1,1)</f><v>2</v></c><c r=\"C7\" s=\"1\"><v>45353</v></c>\
    <c r=\"D7\" t=\"b\"><v>1</v></c></row>";

pub(crate) fn workbook() -> Vec<u8> {
    xlsx(
        &[
            ("Cover", ""),
            ("Notes", "<row><c><v>7</v></c></row>"),
            ("Data", ROWS),
            ("More", "<row><c><v>7</v></c></row>"),
        ],
        STRINGS,
    )
}

/// The same table in OpenDocument, with repeated cells and rows, and many empty ones at the ends.
pub(crate) fn document() -> Vec<u8> {
    let text = |text: &str| {
        format!(
            "<table:table-cell office:value-type=\"string\"><office:annotation><text:p>no</text:p>\
             </office:annotation><text:p>{text}</text:p></table:table-cell>"
        )
    };
    let row = |a: &str, date: &str, ok: bool| {
        format!(
            "<table:table-row><table:table-cell/>{a}<table:table-cell office:value-type=\"date\" \
             office:date-value=\"{date}\"><text:p>x</text:p></table:table-cell><table:table-cell \
             office:value-type=\"boolean\" office:boolean-value=\"{ok}\"/>\
             <table:table-cell table:number-columns-repeated=\"16000\"/></table:table-row>"
        )
    };
    let number = |value: f64| {
        format!("<table:table-cell office:value-type=\"float\" office:value=\"{value}\"/>")
    };
    let error = "<table:table-cell office:value-type=\"string\" calcext:value-type=\"error\" \
        office:string-value=\"\"><text:p>#DIV/0!</text:p></table:table-cell>";
    let rows = [
        "<table:table-row table:number-rows-repeated=\"2\"><table:table-cell/></table:table-row>"
            .into(),
        format!(
            "<table:table-row><table:table-cell/>{}{}{}</table:table-row>",
            text("a"),
            text("when,<text:s/>so"),
            text("ok")
        ),
        row(&number(1.5), "2024-02-29", true),
        "<table:table-row><table:table-cell/></table:table-row>".into(),
        row(error, "2024-03-01T12:00:00", false),
        row(&number(2.0), "2024-03-02T00:00:00", true),
        "<table:table-row table:number-rows-repeated=\"1048000\"><table:table-cell \
         table:number-columns-repeated=\"16384\"/></table:table-row>"
            .to_string(),
    ]
    .concat();
    let more = format!("<table:table-row>{}</table:table-row>", number(7.0));
    ods(&format!(
        "<table:table table:name=\"Cover\"/><table:table table:name=\"Notes\">{more}</table:table>\
         <table:table table:name=\"Data\">{rows}</table:table>\
         <table:table table:name=\"More\">{more}</table:table><table:table table:name=\"Empty\"/>"
    ))
}

fn ods(tables: &str) -> Vec<u8> {
    let content = format!(
        "<?xml version=\"1.0\"?><office:document-content xmlns:office=\"o\" xmlns:table=\"t\" xmlns:text=\"x\" \
         xmlns:calcext=\"c\"><office:body><office:spreadsheet>{tables}</office:spreadsheet></office:body>\
         </office:document-content>"
    );
    archive(&[
        ("mimetype", "application/vnd.oasis.opendocument.spreadsheet"),
        ("content.xml", &content),
        ("META-INF/manifest.xml", "<manifest:manifest/>"),
    ])
}

fn options(change: impl FnOnce(&mut ReadOptions)) -> ReadOptions {
    let mut options = ReadOptions::default();
    change(&mut options);
    options
}

fn with(path: impl AsRef<Path>, change: impl FnOnce(&mut ReadOptions)) -> Result<Input, ReadError> {
    data::read(&[path], &options(change))
}

fn told(path: impl AsRef<Path>, change: impl FnOnce(&mut ReadOptions)) -> String {
    with(path, change).expect_err("it is refused").fault.to_string()
}

fn titles(input: &Input) -> Vec<String> {
    input.feature_columns().unwrap().iter().map(data::Feature::title).collect()
}

#[cfg(feature = "spreadsheets")]
#[test]
fn the_cells_of_a_sheet_are_those_of_a_table_of_text() {
    let folder = folder();
    let expected = array![[1.5, 19782.0, 1.0], [1.75, 19783.5, 0.0], [2.0, 19784.0, 1.0]];
    for (name, content) in [("x.xlsx", workbook()), ("x.ods", document()), ("plain", document())] {
        let path = put(&folder, name, &content);
        let input = with(&path, |options| options.missing = Some(Missing::Mean)).unwrap();
        assert_eq!(values(&input), expected, "{name}");
        assert_eq!(titles(&input), ["a", "when, so", "ok"]);
        assert_eq!(input.line(2).unwrap().1, 7, "{name}: line N is row N of the sheet");
        for sheet in ["Data", "2"] {
            let change = |options: &mut ReadOptions| {
                (options.sheet, options.missing) = (Some(sheet.into()), Some(Missing::Drop));
            };
            assert_eq!(with(&path, change).unwrap().samples(), 2, "{name}: {sheet}");
        }
        let note =
            "the sheet \"Data\" is read, and not \"Notes\" and 1 more: --sheet chooses another";
        assert!(input.notes().iter().any(|found| found.to_string() == note), "{name}");
        let no_such = told(&path, |options| options.sheet = Some("data".into()));
        let said = "there is no sheet \"data\"; the file has Cover, Notes, Data";
        assert!(no_such.starts_with(said), "{no_such}");
        assert!(no_such.ends_with("; did you mean \"Data\"?"), "{no_such}");
        assert_eq!(
            told(&path, |options| options.sheet = Some("Cover".into())),
            Fault::Empty.to_string()
        );
        let missing = told(&path, |_| {});
        assert!(missing.starts_with("line 6, column \"a\": the value is missing"), "{missing}");
        let sheets = "(in the sheet \"Data\"; there is \"Notes\", too: --sheet chooses one)";
        assert!(missing.ends_with(sheets), "{missing}");
        let gzipped = put(&folder, &format!("{name}.gz"), gzip(&content));
        assert!(with(&gzipped, |options| options.missing = Some(Missing::Mean)).is_ok());

        let mut of_labels = LabelOptions::default();
        of_labels.columns = vec![data::Column::Name("ok".into())];
        let labels = data::read_labels(&[&path], &of_labels).unwrap();
        assert_eq!(labels.columns[0].labels, [0, 1, 0]);
    }
    let path = put(&folder, "more.xlsx", workbook());
    let input = with(&path, |options| options.sheet = Some("More".into())).unwrap();
    assert_eq!(values(&input), array![[7.0]]);
}

#[cfg(feature = "spreadsheets")]
#[test]
fn spreadsheets_that_cannot_be_read_say_why() {
    let folder = folder();
    let wide: Vec<u8> = "EncryptedPackage".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let compound = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1".to_vec();
    let far = "<row r=\"1\"><c r=\"A1\"><v>1</v></c></row><row r=\"1048576\"><c r=\"XFD1048576\"><v>1</v></c></row>";
    let cell = "<table:table-cell office:value-type=\"float\" office:value=\"1\" \
        table:number-columns-repeated=\"";
    let sheet = |rows: &str| ods(&format!("<table:table table:name=\"x\">{rows}</table:table>"));
    let many = format!("<table:table-row>{cell}4000000000\"/></table:table-row>");
    let often = format!(
        "<table:table-row table:number-rows-repeated=\"1000000\">{cell}16000\"/></table:table-row>"
    );
    let protected = archive(&[
        ("content.xml", "secret"),
        ("META-INF/manifest.xml", "<m><manifest:encryption-data/></m>"),
    ]);
    let strings = format!("uniqueCount=\"99999999999\">{}", "<si><t>a</t></si>");
    let backwards =
        "<row r=\"2\"><c r=\"A2\"><v>1</v></c></row><row r=\"1\"><c r=\"A1\"><v>1</v></c></row>";
    for (name, content, said) in [
        ("locked.xlsx", [&compound[..], &[0; 70_000], &wide].concat(), "protected by a password"),
        ("old.xls", [&compound[..], &[0; 600]].concat(), "of Excel before 2007 (.xls)"),
        ("locked.ods", protected, "protected by a password"),
        ("text.xlsx", b"a,b\n1,2\n".to_vec(), "not a spreadsheet: expected \"PK\""),
        ("other.xlsx", archive(&[("a.txt", "x")]), "a zip archive without a workbook"),
        ("binary.xlsb", archive(&[("xl/workbook.bin", "x")]), "of binary sheets (.xlsb)"),
        ("cut.xlsx", workbook()[..900].to_vec(), "a spreadsheet that is damaged"),
        ("cut.ods", document()[..600].to_vec(), "a spreadsheet that is damaged"),
        (
            "empty.xlsx",
            xlsx(&[("a", ""), ("b", "")], ">"),
            "no sheet has a value in it; the file has a, b",
        ),
        ("empty.ods", sheet(""), "no sheet has a value in it; the file has x"),
        ("far.xlsx", xlsx(&[("a", far)], ">"), "line 1, column 16383 (from 0)"),
        ("strings.xlsx", xlsx(&[("a", ROWS)], &strings), "declares 99999999999 shared strings"),
        ("backwards.xlsx", xlsx(&[("a", backwards)], ">"), "a cell is at row 0, column 0"),
        ("many.ods", sheet(&many), "a cell is at row 0, column 16384"),
        ("often.ods", sheet(&often), "may be taken"),
        ("open.ods", ods("<table:table table:name=\"x\"><table:table-row>"), "that is damaged"),
    ] {
        let path = put(&folder, name, content);
        let told = told(&path, |options| options.memory_limit = Some(16 << 20));
        assert!(told.contains(said), "{name}: {told}");
    }
}

/// A part that grows by a thousand when it is decompressed is refused before a parser has it.
#[cfg(feature = "spreadsheets")]
#[test]
fn spreadsheets_that_claim_much_are_refused() {
    let folder = folder();
    let long = format!("><si><t>{}</t></si>", "a".repeat(20 << 20));
    let inline =
        format!("<row><c t=\"inlineStr\"><is><t>{}</t></is></c></row>", "a".repeat(20 << 20));
    let tags = format!(">{}", "<si/>".repeat(1 << 20));
    let cell = format!(
        "<table:table table:name=\"x\"><table:table-row><table:table-cell office:value-type=\"string\">\
         <text:p>{}</text:p></table:table-cell></table:table-row></table:table>",
        "a".repeat(20 << 20)
    );
    for (name, content) in [
        ("strings.xlsx", xlsx(&[("a", ROWS)], &long)),
        ("inline.xlsx", xlsx(&[("a", &inline)], ">")),
        ("tags.xlsx", xlsx(&[("a", ROWS)], &tags)),
        ("cell.ods", ods(&cell)),
    ] {
        assert!(content.len() < 100_000, "{name}: {}", content.len());
        let path = put(&folder, name, content);
        let error = with(&path, |options| options.memory_limit = Some(16 << 20)).unwrap_err();
        assert!(matches!(error.fault, Fault::MemoryLimit { .. }), "{name}: {error}");
    }
}

#[cfg(not(feature = "spreadsheets"))]
#[test]
fn a_build_without_spreadsheets_says_so() {
    let folder = folder();
    for (name, content) in [("x.xlsx", workbook()), ("x.ods", document())] {
        let fault = with(put(&folder, name, content), |_| {}).unwrap_err().fault;
        assert!(matches!(fault, Fault::Table(data::TableFault::NotBuilt)), "{name}: {fault}");
    }
}

#[test]
fn records_of_json_are_rows() {
    let folder = folder();
    let expected = array![[1.0, 1.0, 7.0], [2.5, 0.0, 7.0], [1.75, 0.5, 7.0]];
    let lines = "{\"a\": 1, \"b\": true}\n{\"a\": 2.5, \"b\": false}\n\n{\"c\": 7}\n";
    for (name, content) in
        [("x.json", JSON), ("x.jsonl", lines), ("x.ndjson", lines), ("x.data", JSON)]
    {
        let input =
            with(put(&folder, name, content), |options| options.missing = Some(Missing::Mean));
        let input = input.unwrap();
        assert_eq!(
            (values(&input), titles(&input)),
            (expected.clone(), ["a", "b", "c"].map(String::from).to_vec())
        );
        assert!(input.line(0).is_none(), "a record is on no line of its own");
    }
    let path = put(&folder, "x.json", JSON);
    let missing = told(&path, |_| {});
    assert!(missing.starts_with("row 0 (from 0), column \"c\": the value is missing"), "{missing}");
    let path = put(&folder, "rows.json", "[[1, 2], [3, null]]");
    let missing = told(&path, |_| {});
    assert!(
        missing.starts_with("row 1 (from 0), column 1 (from 0): the value is missing"),
        "{missing}"
    );
    assert_eq!(
        values(&read(put(&folder, "rows.jsonl", "[1, 2]\n[3, 4]\n"))),
        array![[1., 2.], [3., 4.]]
    );
    let words = put(
        &folder,
        "words.json",
        r#"[{"id": "x", "k": "cat"}, {"id": "y", "k": "dog"}, {"id": "z", "k": "cat"}]"#,
    );
    let input = with(&words, |options| options.categorical = Categorical::Auto).unwrap();
    assert_eq!(input.names().unwrap(), ["x", "y", "z"]);
    assert_eq!(titles(&input), ["k=cat", "k=dog"]);
    let nested = "{\"a\": {\"x\": 1}, \"e\": [0.5, 1.5]}\n{\"e\": [2, 3], \"a\": {\"x\": 2}}\n";
    let nested = read(put(&folder, "nested.jsonl", nested));
    assert_eq!(titles(&nested), ["a.x", "e.0", "e.1"]);
    assert_eq!(values(&nested), array![[1.0, 0.5, 1.5], [2.0, 2.0, 3.0]]);
    let nested = told(put(&folder, "nested.json", "{\"a\": [1, [2]]}\n"), |_| {});
    assert!(nested.starts_with("record 1 (from 0), \"a\": an array is no value"), "{nested}");
}

#[test]
fn rows_of_arff_are_dense_or_sparse() {
    let folder = folder();
    let path = put(&folder, "x.arff", ARFF);
    let change = |options: &mut ReadOptions| {
        (options.missing, options.categorical) = (Some(Missing::Mean), Categorical::Auto);
    };
    let input = with(&path, change).unwrap();
    assert_eq!(values(&input), array![[1.0, 1.0, 0.0], [2.0, 0.0, 1.0], [1.5, 1.0, 0.0]]);
    assert_eq!(titles(&input), ["a", "b=x", "b=y z"]);
    assert_eq!(input.line(2).unwrap().1, 8);
    let words = told(&path, |_| {});
    assert!(words.starts_with("line 6, column \"b\": \"x\" is not a number"), "{words}");
    let mut of_labels = LabelOptions::default();
    of_labels.columns = vec![data::Column::Name("b".into())];
    let labels = data::read_labels(&[&path], &of_labels).unwrap();
    assert_eq!(labels.columns[0].labels, [0, 1, 0]);
}

#[test]
fn a_file_of_several_tables_is_refused() {
    let folder = folder();
    let several = "{\"e\": [0.1, 0.2]} {\"e\": [0.3, 0.4]}\n";
    let several = told(put(&folder, "x.jsonl", several), |_| {});
    assert!(several.contains("several objects of lists"), "{several}");
    let columns = put(&folder, "x.json", r#"{"data": [1.5, 2.5], "y": [4.5, 5]}"#);
    assert_eq!(values(&read(columns)), array![[1.5, 4.5], [2.5, 5.0]]);
    let forgotten = "@relation x\n@attribute a real\n@attribute b real\n@data\n{0,1}\n";
    let forgotten = told(put(&folder, "x.arff", forgotten), |_| {});
    assert!(forgotten.contains("line 5: a sparse row is of pairs"), "{forgotten}");
}

#[test]
fn unknown_names_are_told_by_the_first_bytes() {
    let folder = folder();
    let table = array![[5.1, 3.5], [4.9, 3.0]];
    let npy = folder.path().join("x.npy");
    ndarray_npy::write_npy(&npy, &table).unwrap();
    let npy = std::fs::read(npy).unwrap();
    for (name, content) in [
        ("iris.data", b"5.1,3.5\n4.9,3.0\n".to_vec()),
        ("iris.dat", b"  5.1  3.5\n  4.9  3.0\n".to_vec()),
        ("iris", gzip(b"5.1;3.5\n4.9;3.0\n")),
        ("array", npy.clone()),
        ("archive.bin", npz(&[("X", npy)])),
    ] {
        assert_eq!(values(&read(put(&folder, name, content))), table, "{name}");
    }
    for content in [&b"\x89PNG\r\n\x1a\n\0"[..], b"\x7fELF\x02\x01"] {
        let fault = crate::fault(put(&folder, "x.png", content));
        assert!(matches!(fault, Fault::UnknownExtension), "{fault}");
    }
}

#[test]
fn rows_become_columns() {
    let folder = folder();
    let expected: Array2<f64> = array![[1.0, 3.0, 5.0], [2.0, 4.0, 6.5]];
    for (name, content) in [
        ("genes.csv", "gene,s1,s2\nBRCA1,1,2\nTP53,3,4\nMYC,5,6.5\n"),
        // As R writes it: the name of the first column is not there.
        ("genes.tsv", "s1\ts2\nBRCA1\t1\t2\nTP53\t3\t4\nMYC\t5\t6.5\n"),
    ] {
        let input = with(put(&folder, name, content), |options| options.transpose = true).unwrap();
        assert_eq!(values(&input), expected, "{name}");
        assert_eq!(input.names().unwrap(), ["s1", "s2"], "{name}");
        assert_eq!(titles(&input), ["BRCA1", "TP53", "MYC"], "{name}");
    }
    let lacking = put(&folder, "lacking.csv", "gene,s1,s2\nBRCA1,1,NA\nTP53,3,4\n");
    let lacking = told(&lacking, |options| options.transpose = true);
    assert!(lacking.starts_with("line 3, column \"BRCA1\": the value is missing"), "{lacking}");
    assert!(lacking.ends_with("its lines are the columns of the file)"), "{lacking}");
    let ragged = put(&folder, "ragged.csv", "gene,s1,s2\nBRCA1,1\n");
    let ragged = told(&ragged, |options| options.transpose = true);
    assert!(ragged.starts_with("line 2 has 2 fields and the first has 3"), "{ragged}");
    let limited = put(&folder, "large.csv", "1,2,3,4,5,6,7,8\n".repeat(200_000));
    let limited = told(&limited, |options| {
        (options.transpose, options.memory_limit) = (true, Some(8 << 20));
    });
    assert!(limited.contains("may be taken"), "{limited}");

    let array = folder.path().join("x.npy");
    ndarray_npy::write_npy(&array, &expected).unwrap();
    let input = with(&array, |options| options.transpose = true).unwrap();
    assert_eq!(values(&input), expected.t());
    let change = |options: &mut ReadOptions| {
        (options.transpose, options.standardize) = (true, Some(data::Standardize::Minmax));
    };
    let scaled = with(&array, change).unwrap();
    assert_eq!(values(&scaled).row(2).to_vec(), [1.0, 1.0]);

    let sparse = "%%MatrixMarket matrix coordinate real general\n2 3 3\n1 1 1.5\n1 3 2\n2 2 -1\n";
    let sparse = put(&folder, "x.mtx", sparse);
    let dense = with(&sparse, |options| options.transpose = true).unwrap();
    assert_eq!(values(&dense), array![[1.5, 0.0], [0.0, -1.0], [2.0, 0.0]]);
    let kept = with(&sparse, |options| (options.transpose, options.sparse) = (true, true)).unwrap();
    assert_eq!((kept.samples(), kept.features()), (3, 2));
    if cfg!(feature = "parquet") {
        let told = told(crate::fixture("pandas.parquet"), |options| options.transpose = true);
        assert!(told.starts_with("--transpose takes text"), "{told}");
    }
}

#[cfg(feature = "spreadsheets")]
#[test]
fn a_sheet_is_transposed_as_text_is() {
    let folder = folder();
    let cell = |text: &str| match text.parse::<f64>() {
        Ok(number) => format!("<c><v>{number}</v></c>"),
        Err(_) => format!("<c t=\"inlineStr\"><is><t>{text}</t></is></c>"),
    };
    let row = |cells: [&str; 3]| format!("<row>{}</row>", cells.map(cell).concat());
    let rows =
        [row(["gene", "s1", "s2"]), row(["BRCA1", "1", "2"]), row(["TP53", "3", "4"])].concat();
    let path = put(&folder, "genes.xlsx", xlsx(&[("x", &rows)], ">"));
    let input = with(&path, |options| options.transpose = true).unwrap();
    assert_eq!(values(&input), array![[1.0, 3.0], [2.0, 4.0]]);
    assert_eq!(input.names().unwrap(), ["s1", "s2"]);
}
