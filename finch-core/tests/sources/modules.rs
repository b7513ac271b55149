//! Which source file uses names of which other, read from the tokens of a crate.
//!
//! A path is followed through re-exports to the file that defines the name. A re-export alone makes
//! no arrow: `mod.rs` may list names of files that use `mod.rs`. What stands under `#[cfg(test)]`
//! does not count, and neither do links in documentation. A method call has no path, so that a
//! method's file is found only where the file of the method's type is named, too.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs;
use std::path::{Path, PathBuf};

use proc_macro2::{Delimiter, Group, Spacing, TokenStream, TokenTree};

/// Files, by their paths below the repository, and for each of its arrows the first name that made it.
pub(crate) type Arrows = BTreeMap<(String, String), String>;

/// A longer chain of re-exports is taken for a chain that leads to itself.
const LONGEST_CHAIN: usize = 20;

/// All modules of a package: of its library and of its programs.
pub(crate) struct Modules {
    repository: PathBuf,
    modules: Vec<Module>,
    /// The root module of the library, by the name that the package's programs have for it.
    library: Option<(String, usize)>,
}

struct Module {
    file: PathBuf,
    /// Where the files of this module's submodules are.
    folder: PathBuf,
    parent: Option<usize>,
    root: usize,
    children: HashMap<String, usize>,
    /// Imported names, with the path that each stands for.
    imports: HashMap<String, Vec<String>>,
    /// Paths in the code, and in imports that are no re-exports.
    paths: BTreeSet<Vec<String>>,
}

impl Modules {
    /// Reads the package in a folder of the repository.
    pub(crate) fn read(repository: &Path, package: &str) -> Self {
        let mut modules =
            Self { repository: repository.to_owned(), modules: Vec::new(), library: None };
        let source = repository.join(package).join("src");
        let root = modules.read_root(source.join("lib.rs"));
        modules.library = Some((package.replace('-', "_"), root));
        if let Ok(programs) = fs::read_dir(source.join("bin")) {
            for program in programs {
                modules.read_root(program.unwrap().path().join("main.rs"));
            }
        }
        modules
    }

    /// The files that have been read, by their paths below the repository.
    pub(crate) fn files(&self) -> BTreeSet<String> {
        self.modules.iter().map(|module| self.name(&module.file)).collect()
    }

    /// Every arrow from a file to another whose names it uses.
    pub(crate) fn arrows(&self) -> Arrows {
        let mut arrows = Arrows::new();
        for (number, module) in self.modules.iter().enumerate() {
            for path in &module.paths {
                let Some(target) = self.resolve(number, path, LONGEST_CHAIN) else {
                    continue;
                };
                let target = &self.modules[target].file;
                if *target != module.file {
                    let arrow = (self.name(&module.file), self.name(target));
                    arrows.entry(arrow).or_insert_with(|| path.join("::"));
                }
            }
        }
        arrows
    }

    fn name(&self, file: &Path) -> String {
        let below = file.strip_prefix(&self.repository).unwrap();
        below.to_str().unwrap().replace('\\', "/")
    }

    fn read_root(&mut self, file: PathBuf) -> usize {
        let folder = file.parent().unwrap().to_owned();
        self.read_file(file, folder, None)
    }

    fn read_file(&mut self, file: PathBuf, folder: PathBuf, parent: Option<usize>) -> usize {
        let text =
            fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        let tokens: TokenStream =
            text.parse().unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        self.add(file, folder, parent, tokens)
    }

    fn add(
        &mut self,
        file: PathBuf,
        folder: PathBuf,
        parent: Option<usize>,
        tokens: TokenStream,
    ) -> usize {
        let number = self.modules.len();
        let root = parent.map_or(number, |parent| self.modules[parent].root);
        self.modules.push(Module {
            file,
            folder,
            parent,
            root,
            children: HashMap::new(),
            imports: HashMap::new(),
            paths: BTreeSet::new(),
        });
        self.walk(number, tokens);
        number
    }

    /// Notes submodules, imports and paths of a module, or of a part of the module's code.
    fn walk(&mut self, module: usize, tokens: TokenStream) {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        let mut at = 0;
        while at < tokens.len() {
            at = match (&tokens[at], tokens.get(at + 1)) {
                (TokenTree::Punct(mark), Some(TokenTree::Group(attribute)))
                    if mark.as_char() == '#' && is_of_tests(attribute) =>
                {
                    after_item(&tokens, at + 2)
                }
                (TokenTree::Ident(word), Some(TokenTree::Ident(name))) if word == "mod" => {
                    self.submodule(module, &name.to_string(), &tokens[at + 2]);
                    at + 3
                }
                (TokenTree::Ident(word), Some(next)) if word == "use" && !is(next, '<') => {
                    let exported =
                        at.checked_sub(1).is_some_and(|before| is_public(&tokens, before));
                    let mut paths = Vec::new();
                    let end = import(&tokens, at + 1, &[], &mut paths);
                    for path in paths {
                        self.import(module, path, exported);
                    }
                    end
                }
                (TokenTree::Ident(_), _) => {
                    let (path, end) = path(&tokens, at);
                    // No path: a field or method, a lifetime, the end of `<A as B>::c`.
                    let follows = |mark, by| at >= by && is(&tokens[at - by], mark);
                    let member = follows('.', 1) && !follows('.', 2);
                    if !member && !follows('\'', 1) && (at < 2 || !is_separator(&tokens, at - 2)) {
                        self.modules[module].paths.insert(path);
                    }
                    end
                }
                (TokenTree::Group(group), _) => {
                    self.walk(module, group.stream());
                    at + 1
                }
                _ => at + 1,
            };
        }
    }

    fn submodule(&mut self, parent: usize, name: &str, body: &TokenTree) {
        let folder = self.modules[parent].folder.join(name);
        let child = if let TokenTree::Group(body) = body {
            self.add(self.modules[parent].file.clone(), folder, Some(parent), body.stream())
        } else {
            let file = folder.with_extension("rs");
            let file = if file.is_file() { file } else { folder.join("mod.rs") };
            self.read_file(file, folder, Some(parent))
        };
        self.modules[parent].children.insert(name.to_owned(), child);
    }

    fn import(&mut self, module: usize, (name, path): (String, Vec<String>), exported: bool) {
        // A module in braces may import all names of its own file.
        let of_file = |parent: usize| self.modules[parent].file == self.modules[module].file;
        let same_file = path == ["super"] && self.modules[module].parent.is_some_and(of_file);
        let module = &mut self.modules[module];
        assert!(
            name != "*" || same_file || !["crate", "self", "super"].contains(&path[0].as_str()),
            "{}: name what is imported by {}::*",
            module.file.display(),
            path.join("::")
        );
        if !exported {
            module.paths.insert(path.clone());
        }
        module.imports.insert(name, path);
    }

    /// The module that defines what a path in a module stands for; none where the path stands for a
    /// module, or for something outside the package.
    fn resolve(&self, module: usize, path: &[String], chain: usize) -> Option<usize> {
        let chain = chain.checked_sub(1)?;
        let (first, rest) = path.split_first()?;
        let here = &self.modules[module];
        match first.as_str() {
            "crate" => self.within(here.root, rest, chain),
            "self" => self.within(module, rest, chain),
            "super" => self.within(here.parent?, rest, chain),
            name if here.children.contains_key(name) || here.imports.contains_key(name) => {
                self.within(module, path, chain)
            }
            name => {
                let (library, root) = self.library.as_ref()?;
                if name == library { self.within(*root, rest, chain) } else { None }
            }
        }
    }

    /// The same for a path whose first word is a name of the module.
    fn within(&self, module: usize, path: &[String], chain: usize) -> Option<usize> {
        let (first, rest) = path.split_first()?;
        let here = &self.modules[module];
        if first == "super" {
            return self.within(here.parent?, rest, chain);
        }
        let child = here.children.get(first);
        let import = here.imports.get(first);
        match (child, import) {
            // A module and a function of one name: only a module has something after it.
            (Some(&child), None) => self.within(child, rest, chain),
            (Some(&child), Some(_)) if !rest.is_empty() => self.within(child, rest, chain),
            // A macro of the file, which a module has no other way to hand on.
            (_, Some(import)) if import[..] == path[..1] => Some(module),
            (_, Some(import)) => {
                let path: Vec<String> = import.iter().chain(rest).cloned().collect();
                self.resolve(module, &path, chain)
            }
            (None, None) => Some(module),
        }
    }
}

fn is(token: &TokenTree, mark: char) -> bool {
    matches!(token, TokenTree::Punct(punct) if punct.as_char() == mark)
}

/// Whether a token is the first of a `::`.
fn is_joint(token: &TokenTree) -> bool {
    matches!(token, TokenTree::Punct(punct) if punct.as_char() == ':' && punct.spacing() == Spacing::Joint)
}

/// Whether an attribute is `cfg(test)`, or the like: `cfg(all(test, unix))`.
fn is_of_tests(attribute: &Group) -> bool {
    let text: String = attribute.stream().to_string().split_whitespace().collect();
    attribute.delimiter() == Delimiter::Bracket
        && (text == "cfg(test)" || text.starts_with("cfg(all(test,"))
}

/// Whether `pub` or `pub(…)` ends here.
fn is_public(tokens: &[TokenTree], at: usize) -> bool {
    match &tokens[at] {
        TokenTree::Ident(word) => word == "pub",
        TokenTree::Group(_) if at > 0 => {
            matches!(&tokens[at - 1], TokenTree::Ident(word) if word == "pub")
        }
        _ => false,
    }
}

/// Where the item after an attribute ends.
fn after_item(tokens: &[TokenTree], mut at: usize) -> usize {
    while let Some(token) = tokens.get(at) {
        at += 1;
        let body =
            matches!(token, TokenTree::Group(group) if group.delimiter() == Delimiter::Brace);
        if body || is(token, ';') {
            break;
        }
    }
    at
}

/// Whether a `::` is here.
fn is_separator(tokens: &[TokenTree], at: usize) -> bool {
    tokens.get(at).is_some_and(is_joint) && tokens.get(at + 1).is_some_and(|token| is(token, ':'))
}

/// The path that starts with this word, and where the path ends.
fn path(tokens: &[TokenTree], mut at: usize) -> (Vec<String>, usize) {
    let mut path = vec![tokens[at].to_string()];
    at += 1;
    while is_separator(tokens, at)
        && let Some(TokenTree::Ident(word)) = tokens.get(at + 2)
    {
        path.push(word.to_string());
        at += 3;
    }
    (path, at)
}

/// Collects the names and paths of one tree of an import; returns where the tree ends.
fn import(
    tokens: &[TokenTree],
    mut at: usize,
    before: &[String],
    paths: &mut Vec<(String, Vec<String>)>,
) -> usize {
    let mut path = before.to_vec();
    let mut named = false;
    while let Some(token) = tokens.get(at) {
        at += 1;
        match token {
            TokenTree::Ident(word) if word == "as" => {
                paths.push((tokens[at].to_string(), path));
                return at + 1;
            }
            TokenTree::Ident(word) => {
                // `self` in braces is the path before the braces.
                if word != "self" || path.is_empty() {
                    path.push(word.to_string());
                }
                named = true;
            }
            TokenTree::Group(group) => {
                let trees: Vec<TokenTree> = group.stream().into_iter().collect();
                let mut tree = 0;
                while tree < trees.len() {
                    tree = import(&trees, tree, &path, paths);
                }
                return at;
            }
            token if is(token, '*') => {
                paths.push(("*".to_owned(), path));
                return at;
            }
            token if is(token, ':') => {}
            // The end of the import, or of one of its trees.
            _ => break,
        }
    }
    if named && let Some(name) = path.last().cloned() {
        paths.push((name, path));
    }
    at
}
