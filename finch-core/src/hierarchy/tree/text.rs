//! Trees in the languages of other programs.
//!
//! A tree may be a chain of a million joins, so nothing here calls itself.

use std::fmt::{self, Write};

use super::Tree;
use crate::error::number::Number;
use crate::error::{Error, Result};
use crate::support::memory::{caught, push, reserve};
use crate::support::names::named;

impl Tree {
    /// The tree as text.
    ///
    /// `names` are those of the L leaves, in any characters; `None` names leaves by their numbers. A
    /// tree may be as deep as it has leaves; one of a million leaves takes a second or two.
    ///
    /// # Errors
    /// [`Error::NameCount`] unless there is one name for each leaf; [`Error::OutOfMemory`].
    pub fn text(&self, format: TreeFormat, names: Option<&[&str]>) -> Result<String> {
        if let Some(names) = names.filter(|names| names.len() != self.leaves()) {
            return Err(Error::NameCount { names: names.len(), leaves: self.leaves() });
        }
        caught(|| Ok(write(self, format, Names(names))))
    }
}

fn write(tree: &Tree, format: TreeFormat, names: Names<'_>) -> String {
    let mut text = Text(Vec::new());
    let written = match format {
        TreeFormat::Newick => newick(tree, names, &mut text),
        TreeFormat::Json => json(tree, names, &mut text),
        TreeFormat::Dot => dot(tree, names, &mut text),
    };
    written.expect("memory unwinds where it is refused, and nothing else fails");
    String::from_utf8(text.0).expect("strings were written")
}

fn newick(tree: &Tree, names: Names<'_>, text: &mut Text) -> fmt::Result {
    let length = |text: &mut Text, node, parent: Option<u32>| match parent {
        None => Ok(()),
        Some(parent) => write!(text, ":{}", Number(tree.height(parent) - tree.height(node))),
    };
    walk(tree, |step, node, parent| match step {
        Step::Leaf => {
            match names.of(node) {
                None => write!(text, "{node}")?,
                Some(name) => newick_label(name, text)?,
            }
            length(text, node, parent)
        }
        Step::Down => text.write_char('('),
        Step::Between => text.write_char(','),
        Step::Up => {
            text.write_char(')')?;
            length(text, node, parent)
        }
    })?;
    text.write_char(';')
}

fn json(tree: &Tree, names: Names<'_>, text: &mut Text) -> fmt::Result {
    walk(tree, |step, node, _| match step {
        Step::Leaf => {
            text.write_str("{\"name\":\"")?;
            names.write(node, text, json_escape)?;
            text.write_str("\",\"height\":0,\"count\":1}")
        }
        Step::Down => {
            let join = tree.join(node).expect("a join is above others");
            let (height, leaves) = (Number(join.height), join.leaves);
            write!(text, "{{\"height\":{height},\"count\":{leaves},\"children\":[")
        }
        Step::Between => text.write_char(','),
        Step::Up => text.write_str("]}"),
    })
}

fn dot(tree: &Tree, names: Names<'_>, text: &mut Text) -> fmt::Result {
    text.write_str("graph tree {\n  node [shape=plaintext];\n")?;
    for leaf in 0..tree.leaves() as u32 {
        write!(text, "  {leaf} [label=\"")?;
        names.write(leaf, text, dot_escape)?;
        text.write_str("\"];\n")?;
    }
    for (join, node) in tree.joins().iter().zip(tree.leaves()..) {
        let ([a, b], height) = (join.nodes, Number(join.height));
        writeln!(text, "  {node} [label=\"{height}\"]; {node} -- {a}; {node} -- {b};")?;
    }
    text.write_char('}')
}

/// A name as a label of Newick: as it is or, where it has a character that may mean something else
/// to a reader (`_` is a blank), in quotes. An empty name is no label.
fn newick_label(name: &str, text: &mut Text) -> fmt::Result {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b".-+".contains(&byte);
    if name.bytes().all(plain) {
        return text.write_str(name);
    }
    text.write_char('\'')?;
    escaped(name, text, |character| (character == '\'').then_some("''"))?;
    text.write_char('\'')
}

/// The text that stands for a character within a string of JSON; `None` for the character itself. Of
/// those below a blank, what JSON has no short form for is written by its number.
fn json_escape(character: char) -> Option<&'static str> {
    Some(match character {
        '"' => "\\\"",
        '\\' => "\\\\",
        '\n' => "\\n",
        '\r' => "\\r",
        '\t' => "\\t",
        '\0'..' ' => CONTROL[character as usize],
        _ => return None,
    })
}

/// The characters below a blank, in JSON.
const CONTROL: [&str; 32] = [
    "\\u0000", "\\u0001", "\\u0002", "\\u0003", "\\u0004", "\\u0005", "\\u0006", "\\u0007",
    "\\u0008", "\\u0009", "\\u000a", "\\u000b", "\\u000c", "\\u000d", "\\u000e", "\\u000f",
    "\\u0010", "\\u0011", "\\u0012", "\\u0013", "\\u0014", "\\u0015", "\\u0016", "\\u0017",
    "\\u0018", "\\u0019", "\\u001a", "\\u001b", "\\u001c", "\\u001d", "\\u001e", "\\u001f",
];

/// The text that stands for a character within a label of Graphviz, which reads backslashes and the
/// entities of HTML there.
fn dot_escape(character: char) -> Option<&'static str> {
    Some(match character {
        '"' => "\\\"",
        '\\' => "\\\\",
        '\n' => "\\n",
        '&' => "&amp;",
        _ => return None,
    })
}

/// Writes a string with some of its characters replaced.
fn escaped(name: &str, text: &mut Text, escape: Escape) -> fmt::Result {
    let mut written = 0;
    for (at, character) in name.char_indices() {
        if let Some(instead) = escape(character) {
            text.write_str(&name[written..at])?;
            text.write_str(instead)?;
            written = at + character.len_utf8();
        }
    }
    text.write_str(&name[written..])
}

type Escape = fn(char) -> Option<&'static str>;

/// Names of leaves, or their numbers.
#[derive(Clone, Copy)]
struct Names<'n>(Option<&'n [&'n str]>);

impl Names<'_> {
    fn of(&self, leaf: u32) -> Option<&str> {
        self.0.map(|names| names[leaf as usize])
    }

    fn write(&self, leaf: u32, text: &mut Text, escape: Escape) -> fmt::Result {
        match self.of(leaf) {
            None => write!(text, "{leaf}"),
            Some(name) => escaped(name, text, escape),
        }
    }
}

/// A text for whose bytes the system may refuse memory.
struct Text(Vec<u8>);

impl Write for Text {
    fn write_str(&mut self, piece: &str) -> fmt::Result {
        reserve(&mut self.0, piece.len());
        self.0.extend_from_slice(piece.as_bytes());
        Ok(())
    }
}

/// Where a walk through a tree is.
#[derive(Clone, Copy)]
enum Step {
    Leaf,
    /// Before both nodes below a join.
    Down,
    Between,
    /// After both.
    Up,
}

/// Walks down and up through a tree from its root; tells each step, the node, and its parent.
fn walk(tree: &Tree, mut tell: impl FnMut(Step, u32, Option<u32>) -> fmt::Result) -> fmt::Result {
    let mut ahead = Vec::new();
    push(&mut ahead, (Step::Down, tree.root(), None));
    while let Some((step, node, parent)) = ahead.pop() {
        match (step, tree.join(node)) {
            (Step::Down, Some(join)) => {
                let [a, b] = join.nodes.map(|below| (Step::Down, below, Some(node)));
                let after = [(Step::Up, node, parent), b, (Step::Between, node, parent), a];
                after.into_iter().for_each(|step| push(&mut ahead, step));
                tell(Step::Down, node, parent)?;
            }
            (Step::Down, None) => tell(Step::Leaf, node, parent)?,
            _ => tell(step, node, parent)?,
        }
    }
    Ok(())
}

/// A language that other programs read trees in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum TreeFormat {
    /// Newick, as programs for phylogenies read it: `((a:0.5,b:0.5):1.5,'it''s c':2);`. The number
    /// behind a node is how much higher its parent is. A name that has more than ASCII letters, digits,
    /// `.`, `-` and `+` is quoted.
    #[default]
    Newick,
    /// JSON: a leaf is `{"name":"a","height":0,"count":1}`, a join
    /// `{"height":0.5,"count":2,"children":[…, …]}`, where `count` is the number of leaves below. (In
    /// Python, `json.loads` takes no tree deeper than about a thousand joins, unless
    /// `sys.setrecursionlimit` allows it.)
    Json,
    /// The DOT of Graphviz: an undirected graph, whose nodes have the tree's numbers; leaves are
    /// labelled with their names, joins with their heights.
    Dot,
}

named!(TreeFormat, "tree format", Newick = "newick", Json = "json", Dot = "dot");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_back_as_they_were() {
        let heights = [1e-320, f64::MIN_POSITIVE, 1e-5, 0.1 + 0.2, 3.0, 1e15, 1.5e16, 1e300];
        for height in heights {
            let text = Number(height).to_string();
            assert!(text.len() < 25 && text.parse() == Ok(height), "{text}");
        }
    }
}
