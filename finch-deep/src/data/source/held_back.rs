//! A reader without the last lines of another.

use std::collections::VecDeque;
use std::io::{BufRead, Read};

use super::spool::LONGEST_LINE;

/// A reader that keeps the last lines of another back, but for blank ones.
pub(in crate::data) struct HeldBack<'a> {
    reader: Box<dyn BufRead + 'a>,
    lines: VecDeque<Vec<u8>>,
    held: usize,
    /// The line that is handed on, and how much of it is read.
    line: Vec<u8>,
    read: usize,
}

impl<'a> HeldBack<'a> {
    pub(in crate::data) fn new(reader: Box<dyn BufRead + 'a>, held: usize) -> Self {
        Self { reader, lines: VecDeque::new(), held, line: Vec::new(), read: 0 }
    }
}

impl Read for HeldBack<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let length = self.fill_buf()?.read(buffer)?;
        self.consume(length);
        Ok(length)
    }
}

impl BufRead for HeldBack<'_> {
    fn fill_buf(&mut self) -> std::io::Result<&[u8]> {
        while self.read == self.line.len() {
            let mut line = Vec::new();
            let limit = LONGEST_LINE as u64;
            let ended = (&mut self.reader).take(limit).read_until(b'\n', &mut line)? == 0;
            if ended {
                return Ok(&[]);
            }
            // Blank lines go with the line before, so that lines keep their numbers.
            match self.lines.back_mut() {
                Some(last) if line.trim_ascii().is_empty() => last.append(&mut line),
                _ => self.lines.push_back(line),
            }
            if self.lines.len() > self.held {
                (self.line, self.read) = (self.lines.pop_front().unwrap_or_default(), 0);
            }
        }
        Ok(&self.line[self.read..])
    }

    fn consume(&mut self, length: usize) {
        self.read += length;
    }
}
