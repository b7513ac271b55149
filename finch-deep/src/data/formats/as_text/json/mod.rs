//! JSON: an object on each line, an array of objects or of arrays, and what pandas writes.

mod place;
mod table;

use std::io::{BufRead, BufReader, Cursor, Read};

use serde::de::{DeserializeSeed, IgnoredAny};
use serde_json::error::Category;

use super::guard::{Guard, Guarded};
use crate::data::error::Fault;
use crate::data::error::table::TableFault;
use crate::data::formats::csv::encoding::decoded;
use crate::data::source::Source;
use crate::data::source::memory::Memory;
use crate::data::source::spool::MadeText;

use place::Place;
use table::Table;

/// Bytes of a first line that is a record, at most.
const LONGEST_RECORD: u64 = 16 << 20;

/// Makes JSON text.
pub(super) fn text(source: Source, memory: &Memory) -> Result<MadeText, Fault> {
    let mut reader = decoded(source.reader(), memory)?;
    if reader.fill_buf()?.starts_with(b"\xef\xbb\xbf") {
        reader.consume(3);
    }
    let guard = Guard::new(memory);
    let mut reader = BufReader::with_capacity(1 << 16, Guarded { reader, guard: &guard });
    // However long it is, the first line tells.
    let mut first = Vec::new();
    if reader.fill_buf()?.trim_ascii_start().starts_with(b"{") {
        (&mut reader).take(LONGEST_RECORD).read_until(b'\n', &mut first)?;
    }
    let of_lines = is_object(&first) && reader.fill_buf()?.trim_ascii_start().starts_with(b"{");
    let mut values = serde_json::Deserializer::from_reader(Cursor::new(first).chain(reader));
    let mut table = Table::new(of_lines, &guard, memory)?;
    loop {
        let read = Place::Top.seed(&mut table).deserialize(&mut values);
        read.map_err(|error| fault(&guard, error))?;
        match values.end() {
            Ok(()) => break,
            Err(error) if error.classify() == Category::Syntax => {}
            Err(error) => return Err(fault(&guard, error)),
        }
    }
    table.finish()
}

/// True if a line is an object: where another one follows it, each line is a record, and a field that is an object is no
/// column.
fn is_object(line: &[u8]) -> bool {
    line.trim_ascii().starts_with(b"{") && serde_json::from_slice::<IgnoredAny>(line).is_ok()
}

/// The fault that a parser gave up for.
fn fault(guard: &Guard<'_>, error: serde_json::Error) -> Fault {
    if let Some(fault) = guard.fault() {
        return fault;
    }
    let (line, column, reason) = (error.line(), error.column(), error.to_string());
    let place = format!(" at line {line} column {column}");
    let reason = reason.strip_suffix(&place).unwrap_or(&reason).to_string();
    TableFault::Json { line, column, reason }.into()
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;
    use crate::data::formats::as_text::rows::text_of;

    fn made(json: &str) -> Result<String, String> {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(json.as_bytes()).unwrap();
        std::io::Seek::rewind(&mut file).unwrap();
        let memory = Memory::new(None);
        let text = text(Source::of(file).unwrap(), &memory).map_err(|fault| fault.to_string())?;
        Ok(format!("{:?} {}", text.header, text_of(text.file)))
    }

    #[test]
    fn each_shape_of_a_table() {
        let table = "Some(true) a,b\n1,x\n2.5,\n";
        for json in [
            r#"{"a": 1, "b": "x"}
               {"a": 2.5}"#,
            r#"[{"a": 1, "b": "x"}, {"b": null, "a": 2.5}]"#,
            r#"{"a": {"0": 1, "1": 2.5}, "b": {"0": "x", "1": null}}"#,
            r#"{"a": [1, 2.5], "b": ["x", null]}"#,
            r#"{"columns": ["a", "b"], "index": [0, 1], "data": [[1, "x"], [2.5, null]]}"#,
        ] {
            assert_eq!(made(json).as_deref(), Ok(table), "{json}");
        }
        let named = "Some(true) ,a\nr,1\ns,\n";
        for json in [
            r#"{"a": {"r": 1, "s": null}}"#,
            r#"{"columns": ["a"], "index": ["r", "s"], "data": [[1], [null]]}"#,
        ] {
            assert_eq!(made(json).as_deref(), Ok(named), "{json}");
        }
        // Names may be the first of arrays, which the text tells.
        let answer = r#"[["NAME", "pop"], ["Alabama", "490"]]"#;
        assert_eq!(made(answer).as_deref(), Ok("None NAME,pop\nAlabama,490\n"));
        let rows = r#"[["a", 1], ["b", 2]]"#;
        assert_eq!(made(rows).as_deref(), Ok("Some(false) a,1\nb,2\n"));
        // Of a record within a record, each field is a column.
        let nested = "Some(true) u.x,u.v.w,n\n1,a,\n2,,5\n";
        for json in [
            "{\"u\": {\"x\": 1, \"v\": {\"w\": \"a\"}}}\n{\"u\": {\"x\": 2}, \"n\": 5}",
            r#"[{"u": {"x": 1, "v": {"w": "a"}}}, {"n": 5, "u": {"x": 2, "v": {}}}]"#,
        ] {
            assert_eq!(made(json).as_deref(), Ok(nested), "{json}");
        }
        let lists = "Some(true) e.0,e.1,n\n1,2,\n3,4,5\n";
        for json in [
            "{\"e\": [1, 2]}\n{\"e\": [3, 4], \"n\": 5}",
            r#"[{"e": [1, 2]}, {"n": 5, "e": [3, 4]}]"#,
        ] {
            assert_eq!(made(json).as_deref(), Ok(lists), "{json}");
        }
        // Words of a list are one value, however many there are.
        let tags = r#"[{"t": ["x", "y"], "n": 1}, {"t": [], "n": 2}, {"t": ["z"], "n": 3}]"#;
        assert_eq!(made(tags).as_deref(), Ok("Some(true) t,n\n\"x, y\",1\n,2\nz,3\n"));
        // Of an only object, the field with a list of objects has the records.
        for json in [
            r#"{"data": [{"a": 1, "b": "x"}, {"a": 2.5}]}"#,
            r#"{"n": 2, "of": [1, 2], "results": [{"a": 1, "b": "x"}, {"a": 2.5}], "more": {"e": [{}]}}"#,
            r#"{"schema": {"fields": [{"name": "a"}], "key": ["a"], "v": 1}, "data": [{"a": 1, "b": "x"}, {"a": 2.5}]}"#,
            r#"{"status": "ok", "data": {"page": 1, "items": [{"a": 1, "b": "x"}, {"a": 2.5}], "n": [1]}}"#,
            r#"{"data": {"items": [{"a": 1, "b": "x"}, {"a": 2.5}], "page": {"n": [1]}}, "x": 1}"#,
            r#"{"meta": [{"name": "a"}], "errors": [], "data": [{"a": 1, "b": "x"}, {"a": 2.5}]}"#,
            r#"{"links": [], "rows": [{"a": 1, "b": "x"}, {"a": 2.5}], "others": [{"c": 3}]}"#,
        ] {
            assert_eq!(made(json).as_deref(), Ok(table), "{json}");
        }
        let geo = r#"{"type": "F", "features": [{"p": {"n": 5}, "at": [1, 2]}, {"p": {"n": 7}, "at": [3, 4]}]}"#;
        assert_eq!(made(geo).as_deref(), Ok("Some(true) p.n,at.0,at.1\n5,1,2\n7,3,4\n"));
        for (json, said) in [
            (r#"{"x": [1, 2], "y": [{"a": 1}, {"a": 2}]}"#, "\"y\": an object"),
            (r#"{"y": [{"a": 1}, 2]}"#, "an array of values beside arrays or objects"),
            (r#"{"n": 1, "y": [{"a": 1}, [2]]}"#, "an array"),
            (r#"{"n": 1, "y": [{"a": [{"b": 1}]}]}"#, "record 0 (from 0), \"a\": an object"),
            (r#"{"y": [1, {"a": 1}]}"#, "\"y\": an object"),
            (
                "{\"n\": 1,\n\"y\": [{\"a\": 1}]}\n{\"n\": 2, \"y\": [{\"a\": 3}]}",
                "several objects of lists",
            ),
            (
                r#"{"columns": ["a"], "index": ["r", ["q"]], "data": [[1], [2]]}"#,
                "\"index\": an array",
            ),
            (
                r#"[{"e": [1, 2]}, {"e": [1]}]"#,
                "record 1 (from 0), \"e\": a list of another length",
            ),
            (r#"[{"u.x": 1, "u": {"x": 2}}]"#, "record 0 (from 0) has two values called \"u.x\""),
        ] {
            let told = made(json).unwrap_err();
            assert!(told.contains(said), "{json}: {told}");
        }
        let long = format!("{{\"e\": [{}1]}}\n", "1,".repeat(1 << 16)).repeat(2);
        assert!(made(&long).unwrap().starts_with("Some(true) e.0,e.1,"));
        let arrays = "Some(false) 1,2\n3,true\n";
        for json in ["[[1, 2], [3, true]]", "[1, 2]\n[3, true]\n", "\u{feff}[[1,2],[3,true]]"] {
            assert_eq!(made(json).as_deref(), Ok(arrays), "{json}");
        }
        assert_eq!(made(r#"[{"a": null}, {"a": 2}]"#).as_deref(), Ok("Some(true) a\n\"\"\n2\n"));
    }

    #[test]
    fn columns_may_be_called_as_those_of_pandas() {
        for (json, table) in [
            (r#"{"data": [1, 2], "y": [4, 5]}"#, "Some(true) data,y\n1,4\n2,5\n"),
            (r#"{"y": [4, 5], "data": [1, 2]}"#, "Some(true) y,data\n4,1\n5,2\n"),
            (r#"{"index": [7, 8], "x": [4, 5]}"#, "Some(true) index,x\n7,4\n8,5\n"),
            (r#"{"columns": [7, 8]}"#, "Some(true) columns\n7\n8\n"),
            (r#"{"data": [[1, 2]]}"#, "Some(false) 1,2\n"),
            (r#"{"meta": {"view": {"n": 1}}, "data": [[1, 2]]}"#, "Some(false) 1,2\n"),
            (r#"{"data": [[1, 2]], "columns": ["a", "b"]}"#, "Some(true) a,b\n1,2\n"),
        ] {
            assert_eq!(made(json).as_deref(), Ok(table), "{json}");
        }
    }

    #[test]
    fn the_cells_of_a_record_are_counted_while_it_is_read() {
        let cell = format!("\"{}\",", "a".repeat(1 << 14));
        let memory = |limit: u64, json: String| {
            let mut file = tempfile::tempfile().unwrap();
            file.write_all(json.as_bytes()).unwrap();
            std::io::Seek::rewind(&mut file).unwrap();
            let memory = Memory::new(Some(limit));
            text(Source::of(file).unwrap(), &memory).map(|_| memory.taken())
        };
        for open in ["[", "[["] {
            // The array has no end.
            let read = memory(4 << 20, format!("{open}{}", cell.repeat(1 << 9)));
            assert!(matches!(read, Err(Fault::MemoryLimit { .. })), "{read:?}");
        }
        let whole = memory(16 << 20, format!("[{}1]\n", cell.repeat(1 << 8)));
        assert!(whole.unwrap() < 1 << 16);
    }

    /// The memory of the cells of a list is that of the next record's, too.
    #[test]
    fn lists_of_many_records_take_the_memory_of_one() {
        let record = format!("{{\"e\": [{}1.5]}}\n", "0.25,".repeat(511));
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(record.repeat(2_000).as_bytes()).unwrap();
        std::io::Seek::rewind(&mut file).unwrap();
        // The text takes some, twice.
        let memory = Memory::new(Some(16 << 20));
        assert!(text(Source::of(file).unwrap(), &memory).is_ok(), "{}", memory.taken());
    }

    #[test]
    fn each_refusal_says_where() {
        for (json, said) in [
            (r#"{"a": [1, [2]]}"#, "record 1 (from 0), \"a\": an array"),
            ("[[1, [2]]]", "record 0 (from 0), \"1\": an array"),
            ("[[1, 2], [3]]", "record 1 (from 0) has 1 values, and the first has 2"),
            ("[[1], {\"a\": 1}]", "objects beside arrays"),
            ("[1, [2]]", "an array of values beside arrays"),
            ("17", "the JSON is a number"),
            ("{\"e\": [1, 2]} {\"e\": [3, 4]}", "several objects of lists"),
            ("{\"e\": {\"x\": 1}} {\"e\": {\"x\": 3}}", "several objects of lists"),
            ("{\"e\": [1, 2]}\n[3, 4]", "several objects of lists"),
            ("{\"e\": []} {\"e\": []}", "several objects of lists"),
            (r#"{"data": [[1], [2]], "y": [3, 4]}"#, "data of rows beside columns"),
            (r#"{"y": [3, 4], "data": [[1], [2]]}"#, "data of rows beside columns"),
            (r#"{"data": [[1], 2]}"#, "an array of values beside arrays"),
            (r#"{"data": [[1]], "index": ["r"]}"#, "write the index first"),
            (r#"{"data": [1, {"a": 1}]}"#, "an array of values beside arrays or objects"),
            ("[]", "the file is empty"),
            ("{\"a\": 1}\n{\"a\": NaN}", "no JSON at line 2, column 7: expected"),
            ("[{\"a\": 1}", "no JSON at line 1, column 9: EOF"),
        ] {
            let told = made(json).unwrap_err();
            assert!(told.contains(said), "{json}: {told}");
        }
    }
}
