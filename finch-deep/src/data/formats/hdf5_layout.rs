//! The layout messages of HDF5 before 1.8, as MATLAB up to 7.6 writes them.
//!
//! Versions 1 and 2 of the message "Data Layout" have the same parts in the same places (HDF5 File
//! Format Specification, IV.A.2.i). hdf5-reader 0.12 takes the message of version 2 for two bytes
//! shorter than it is, so that each address and length in it comes out wrong, and expects an address before
//! values that stand in the message itself. A message of version 2 is called one of version 1, which changes
//! nothing else, and values in a message become those of a message of version 3.

use std::collections::HashSet;

/// Types of messages of an object header.
const LAYOUT: u16 = 0x08;
const CONTINUATION: u16 = 0x10;
const SYMBOL_TABLE: u16 = 0x11;

/// Makes all layout messages such that hdf5-reader reads them. A message that is not as it should be is
/// left to the reader.
///
/// Only files with a superblock of version 0 or 1 and with addresses of 8 bytes are looked at, which all
/// such files of MATLAB are.
pub(in crate::data) fn mend(bytes: &mut [u8], start: usize) {
    // The version of the superblock, the widths of addresses and lengths; the root group's entry.
    let Some(&[version, _, _, _, _, 8, 8]) = bytes.get(start + 8..start + 15) else { return };
    let root = match version {
        0 => start + 56,
        1 => start + 60,
        _ => return,
    };
    let mut file =
        File { bytes, start, seen: HashSet::new(), objects: Vec::new(), nodes: Vec::new() };
    file.object_of(root);
    while let Some(next) =
        file.objects.pop().map(Next::Object).or_else(|| file.nodes.pop().map(Next::Node))
    {
        // None where the file ends before what it should have.
        let _ = match next {
            Next::Object(at) => file.visit_object(at),
            Next::Node(at) => file.visit_node(at),
        };
    }
}

enum Next {
    Object(usize),
    Node(usize),
}

/// A file, and what is still to be visited in it.
struct File<'a> {
    bytes: &'a mut [u8],
    /// The byte that addresses are counted from.
    start: usize,
    seen: HashSet<usize>,
    /// Where object headers are.
    objects: Vec<usize>,
    /// Where nodes of the trees of groups are.
    nodes: Vec<usize>,
}

impl File<'_> {
    fn number<const W: usize>(&self, at: usize) -> Option<u64> {
        let bytes: [u8; W] = self.bytes.get(at..at.checked_add(W)?)?.try_into().ok()?;
        Some(bytes.iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte)))
    }

    fn address(&self, at: usize) -> Option<usize> {
        usize::try_from(self.number::<8>(at)?).ok()?.checked_add(self.start)
    }

    /// Adds the object that an entry of a symbol table names.
    fn object_of(&mut self, entry: usize) {
        let header = self.address(entry + 8);
        self.objects.extend(header.filter(|&header| self.seen.insert(header)));
    }

    fn visit_object(&mut self, at: usize) -> Option<()> {
        if self.number::<1>(at)? != 1 {
            return None; // Version 2 of the header came with later layouts.
        }
        let length = usize::try_from(self.number::<4>(at + 8)?).ok()?;
        let mut blocks = vec![(at + 16, length)];
        while let Some((mut at, length)) = blocks.pop() {
            let end = at.checked_add(length)?;
            while at + 8 <= end {
                let (kind, length) = (self.number::<2>(at)?, self.number::<2>(at + 2)?);
                let data = at + 8;
                match kind as u16 {
                    LAYOUT => self.mend_layout(data, length as usize)?,
                    CONTINUATION => {
                        let block = self.address(data)?;
                        if self.seen.insert(block) {
                            blocks
                                .push((block, usize::try_from(self.number::<8>(data + 8)?).ok()?));
                        }
                    }
                    SYMBOL_TABLE => {
                        let node = self.address(data)?;
                        self.nodes.push(node);
                    }
                    _ => {}
                }
                at = data + length as usize;
            }
        }
        Some(())
    }

    /// Mends the layout message at `at` of `length` bytes: version, dimensions, class and five bytes of 0;
    /// the address of values outside of it; the length of each dimension; the length of values in it.
    fn mend_layout(&mut self, at: usize, length: usize) -> Option<()> {
        const COMPACT: u8 = 0;
        let message = self.bytes.get_mut(at..at + length)?;
        match *message.first_chunk()? {
            [1 | 2, dimensions, COMPACT] => {
                let before = 8 + 4 * usize::from(dimensions) + 4;
                let (count, values) =
                    message.get(..before)?.split_last_chunk::<4>().map(|(_, count)| {
                        (
                            u32::from_le_bytes(*count),
                            before..before + u32::from_le_bytes(*count) as usize,
                        )
                    })?;
                let [low, high] = u16::try_from(count).ok()?.to_le_bytes();
                message.get(values.clone())?;
                message.copy_within(values, 4);
                message[..4].copy_from_slice(&[3, COMPACT, low, high]);
            }
            [2, ..] => message[0] = 1,
            _ => {}
        }
        Some(())
    }

    /// Visits a node of the tree of a group: other nodes, or symbols.
    fn visit_node(&mut self, at: usize) -> Option<()> {
        if !self.seen.insert(at) {
            return None;
        }
        let children = self.number::<2>(at.checked_add(6)?)? as usize;
        // The number lies behind these bytes, so that the sum is no overflow.
        match self.bytes.get(at..at + 4)? {
            b"TREE" if self.number::<1>(at + 4)? == 0 => {
                for child in 0..children {
                    // Behind two siblings, keys and children take turns, from a key on.
                    let node = self.address(at + 24 + 16 * child + 8)?;
                    self.nodes.push(node);
                }
            }
            b"SNOD" => (0..children).for_each(|entry| self.object_of(at + 8 + 40 * entry)),
            _ => {}
        }
        Some(())
    }
}
