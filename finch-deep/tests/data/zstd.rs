//! Files that zstd compressed.

use finch_deep::data::{LabelOptions, read_labels};
use ndarray::array;

use super::*;

fn zstd(content: &[u8]) -> Vec<u8> {
    ::zstd::encode_all(content, 3).unwrap()
}

#[test]
fn zstd_is_told_by_content() {
    let folder = folder();
    let file = npy("'|u1'", false, "(2, 2)", &[1, 2, 3, 4]);
    // As parallel compressors write, and with a frame to skip.
    let skipped = [&[0x50, 0x2a, 0x4d, 0x18, 2, 0, 0, 0, 9, 9][..]].concat();
    let several = [zstd(b"1,2\n"), skipped, zstd(b"3,4\n")].concat();
    for (name, content) in [
        ("x.npy", zstd(&file)),
        ("x.npy.zst", zstd(&file)),
        ("x.NPY.ZST", zstd(&file)),
        ("x.npz.zst", zstd(&npz(&[("X", file.clone())]))),
        ("x.csv.zst", several),
        ("x.json.zst", zstd(b"[[1, 2], [3, 4]]")),
        ("x.jsonl.zst", zstd(b"{\"a\": 1, \"b\": 2}\n{\"a\": 3, \"b\": 4}\n")),
        ("x.mtx.zst", zstd(b"%%MatrixMarket matrix array real general\n2 2\n1\n3\n2\n4\n")),
        ("x", zstd(b"1,2\n3,4\n")),
        ("x.idx.zst", zstd(&idx(8, &[2, 2], &[1, 2, 3, 4]))),
    ] {
        let path = put(&folder, name, content);
        assert_eq!(values(&read(path)), array![[1., 2.], [3., 4.]], "{name}");
    }
    let labels = put(&folder, "y.txt.zst", zstd(b"a\nb\na\n"));
    let labels = read_labels(&[labels], &LabelOptions::default()).unwrap();
    assert_eq!(labels.columns[0].labels, [0, 1, 0]);
}

#[test]
fn a_damaged_frame_is_an_error_in_words() {
    let folder = folder();
    let table: String = (0..4000).map(|row| format!("{},{}\n", row * row % 997, row)).collect();
    let whole = zstd(table.as_bytes());
    for length in [whole.len() - 1, whole.len() / 2, 15, 6] {
        let fault = fault(put(&folder, "x.csv.zst", &whole[..length]));
        assert!(matches!(fault, Fault::TruncatedCompression), "{length}: {fault}");
    }
    let mut damaged = whole.clone();
    damaged[4] ^= 0xff;
    let ends = [&whole[..], b"1,2\n"].concat();
    for content in [damaged, ends] {
        let fault = fault(put(&folder, "x.csv.zst", content));
        assert!(matches!(fault, Fault::Compression(_) | Fault::TruncatedCompression), "{fault}");
    }
}

#[test]
fn memory_is_limited_by_what_is_decompressed() {
    let folder = folder();
    let zeros = put(&folder, "x.csv.zst", zstd(&b"0,0\n".repeat(1 << 20)));
    let mut options = ReadOptions::default();
    options.memory_limit = Some(1 << 20);
    let fault = data::read(&[zeros], &options).unwrap_err().fault;
    assert!(matches!(fault, Fault::MemoryLimit { .. }), "{fault}");
}
