//! The words of a column of text, numbered.

use std::collections::HashMap;

use crate::data::error::Fault;
use crate::data::source::memory::Memory;

/// The different words of a column, in the order of their first appearance.
#[derive(Debug, Default)]
pub(in crate::data) struct Words {
    numbers: HashMap<String, u32>,
    /// Each word, with the line that it first appears on.
    pub(in crate::data) list: Vec<(String, u64)>,
}

impl Words {
    /// The number of a word on this line.
    pub(in crate::data) fn number(&mut self, word: &str, line: u64) -> u32 {
        if let Some(&number) = self.numbers.get(word) {
            return number;
        }
        let number = self.list.len() as u32;
        self.numbers.insert(word.to_owned(), number);
        self.list.push((word.to_owned(), line));
        number
    }

    /// True if there are words, and `read` reads each.
    pub(in crate::data) fn is_all<T>(&self, read: fn(&[u8]) -> Option<T>) -> bool {
        !self.list.is_empty() && self.list.iter().all(|(word, _)| read(word.as_bytes()).is_some())
    }

    /// Adds the words of a later part of the file, and says what number each has here.
    pub(in crate::data) fn append(
        &mut self,
        later: &Words,
        memory: &Memory,
    ) -> Result<Vec<u32>, Fault> {
        let of = |(word, line): &(String, u64)| {
            let known = self.list.len();
            let number = self.number(word, *line);
            if self.list.len() > known {
                // The word, twice, with its entries in the list and the map.
                memory.take(2 * word.len() as u64 + 80)?;
            }
            Ok(number)
        };
        later.list.iter().map(of).collect()
    }
}
