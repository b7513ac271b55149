//! Binary trees for other programs: a handle, and the functions that write it.

use std::ffi::c_char;
use std::sync::{Mutex, PoisonError};

use finch_core::{Error, Tree, TreeFormat};

use crate::border::caller::Caller;
use crate::border::fault::Fault;
use crate::border::guard::{guard, guard_or, guard_writing};
use crate::border::integers::from_c;
use crate::border::room::room;
use crate::border::status::finch_status;
use crate::dendrogram::{self, finch_dendrogram};
use crate::hierarchy::{self, finch_hierarchy};

/// A binary tree of L leaves: L - 1 joins of two nodes each, the last of which makes the root.
/// Nodes are numbered as in SciPy, leaves first, then joins in their order. Heights are finite
/// and never fall from join to join. A tree needs nothing that it was made of.
pub struct finch_tree {
    tree: Tree,
    /// The text that `finch_tree_text` wrote last, with a zero at its end.
    text: Mutex<Vec<u8>>,
}

/// Any thread may read a tree, and any thread may free it.
const _: () = {
    const fn shared<T: Send + Sync>() {}
    shared::<finch_tree>();
};

/// A language that other programs read trees in.
#[repr(i32)]
#[derive(Clone, Copy, Debug)]
pub enum finch_tree_format {
    /// Newick; lengths are differences of heights.
    FINCH_TREE_NEWICK = 0,
    /// JSON: nested objects of height, count, and name or children.
    FINCH_TREE_JSON = 1,
    /// The DOT of Graphviz.
    FINCH_TREE_DOT = 2,
}

/// Makes the tree of a hierarchy, from N single samples up through all P partitions to one
/// root. `*tree` becomes a new tree, to be freed with `finch_tree_free`.
///
/// Heights count levels: cut at height p + 1, the tree gives partition p. From 0 to 1 samples
/// join along the links to their first neighbours, at the length of the link over that of the
/// longest, no two at one height. At p + 1 join the clusters of partition p - 1 that share a
/// cluster of partition p; at P + 1 those of the coarsest partition.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn finch_tree_of_hierarchy(
    hierarchy: *const finch_hierarchy,
    tree: *mut *mut finch_tree,
) -> finch_status {
    let body = |caller: &Caller| {
        let output = caller.output(TREE, tree, 1, 1)?;
        let tree = hierarchy::read(caller, hierarchy)?.tree()?;
        caller.give(output, finch_tree { tree, text: Mutex::default() });
        Ok(())
    };
    // SAFETY: the caller keeps to the contract in the header.
    unsafe { guard(body) }
}

/// Makes the tree of a dendrogram. `*tree` becomes a new tree, to be freed with
/// `finch_tree_free`. Where `hierarchy` is NULL, leaves are the clusters that merging began
/// with. With the hierarchy of the dendrogram, leaves are samples, which join below as in
/// `finch_tree_of_hierarchy`, in heights scaled to end at the first merge.
///
/// Heights are those of the merges, but each is above the one before, if by a last digit only,
/// so that every cut of the dendrogram is one of the tree. Infinite heights, and those of what
/// merging left apart, become twice the largest finite one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn finch_tree_of_dendrogram(
    dendrogram: *const finch_dendrogram,
    hierarchy: *const finch_hierarchy,
    tree: *mut *mut finch_tree,
) -> finch_status {
    let body = |caller: &Caller| {
        let output = caller.output(TREE, tree, 1, 1)?;
        let dendrogram = dendrogram::read_merges(caller, dendrogram)?;
        let tree = match hierarchy.is_null() {
            true => dendrogram.tree()?,
            false => dendrogram.tree_of_samples(hierarchy::read(caller, hierarchy)?)?,
        };
        caller.give(output, finch_tree { tree, text: Mutex::default() });
        Ok(())
    };
    // SAFETY: the caller keeps to the contract in the header.
    unsafe { guard(body) }
}

/// Frees a tree. Pointers borrowed from the tree are then invalid. NULL is ignored.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn finch_tree_free(tree: *mut finch_tree) {
    let body = |caller: &Caller| {
        caller.free(tree);
        Ok(())
    };
    // SAFETY: the caller keeps to the contract in the header.
    unsafe { guard_writing(body) };
}

/// The number of leaves, L.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn finch_tree_leaf_count(tree: *const finch_tree) -> usize {
    // SAFETY: the caller keeps to the contract in the header.
    unsafe { guard_or(0, |caller| Ok(caller.reference(TREE, tree)?.tree.leaves())) }
}

/// The depth of the tree: the most joins between a leaf and the root, from 0 for a single leaf to
/// L - 1 for a chain, as rows in a line make it. Programs that call themselves at each join, as
/// readers of JSON and of Newick do, may refuse a tree of some thousand: give them the joins, by
/// `finch_tree_linkage`, or the tree of clusters, by `finch_tree_of_dendrogram` without hierarchy.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn finch_tree_depth(tree: *const finch_tree) -> usize {
    // SAFETY: the caller keeps to the contract in the header.
    unsafe { guard_or(0, |caller| Ok(caller.reference(TREE, tree)?.tree.depth()?)) }
}

/// Writes SciPy's linkage matrix, (L - 1) x 4, row-major, into `linkage`: for each join the two
/// nodes, the smaller number first, the height, and the number of leaves below.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn finch_tree_linkage(
    tree: *const finch_tree,
    linkage: *mut f64,
    capacity: usize,
) -> finch_status {
    let body = |caller: &Caller| {
        let joins = caller.reference(TREE, tree)?.tree.joins();
        let output = caller.output("linkage", linkage, capacity, 4 * joins.len())?;
        output.write(joins.iter().flat_map(|join| {
            let [a, b] = join.nodes.map(f64::from);
            [a, b, join.height, f64::from(join.leaves)]
        }));
        Ok(())
    };
    // SAFETY: the caller keeps to the contract in the header.
    unsafe { guard_writing(body) }
}

/// Writes the tree in a `finch_tree_format`. `*text` becomes a string in UTF-8, and `*length`,
/// which may be NULL, its bytes without the zero at its end. The string is valid until the next
/// call of `finch_tree_text` for this tree, or until the tree is freed. `names` are `count` = L
/// names of leaves in UTF-8, quoted as the format asks for; NULL names leaves by their numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn finch_tree_text(
    tree: *mut finch_tree,
    format: i32,
    names: *const *const c_char,
    count: usize,
    text: *mut *const c_char,
    length: *mut usize,
) -> finch_status {
    let body = |caller: &Caller| {
        let output = caller.output("text", text, 1, 1)?;
        let length = caller.optional_output("length", length, 1, 1)?;
        let finch_tree { tree, text } = caller.reference(TREE, tree.cast_const())?;
        let format = from_c!(format, "tree format", finch_tree_format {
            FINCH_TREE_NEWICK => TreeFormat::Newick,
            FINCH_TREE_JSON => TreeFormat::Json,
            FINCH_TREE_DOT => TreeFormat::Dot,
        });
        let names = match names.is_null() {
            true => None,
            // Before any name is read.
            false if count != tree.leaves() => {
                return Err(Error::NameCount { names: count, leaves: tree.leaves() }.into());
            }
            false => Some(strings(caller, caller.slice("names", names, count)?)?),
        };
        let mut written = tree.text(format, names.as_deref())?.into_bytes();
        let bytes = written.len();
        written.try_reserve_exact(1).map_err(|_| Error::OutOfMemory { bytes: bytes + 1 })?;
        written.push(0);
        let mut text = text.lock().unwrap_or_else(PoisonError::into_inner);
        *text = written;
        output.write([text.as_ptr().cast()]);
        length.write([bytes]);
        Ok(())
    };
    // SAFETY: the caller keeps to the contract in the header.
    unsafe { guard(body) }
}

const TREE: &str = "tree";

/// Names from C.
fn strings<'c>(caller: &'c Caller, names: &[*const c_char]) -> Result<Vec<&'c str>, Fault> {
    let mut strings = room(names.len())?;
    for (at, &name) in names.iter().enumerate() {
        let name = caller.string(name).ok_or(Fault::NullName { at })?;
        strings.push(name.to_str().map_err(|_| Fault::NotUtf8 { at })?);
    }
    Ok(strings)
}
