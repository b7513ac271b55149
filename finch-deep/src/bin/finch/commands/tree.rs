//! `finch tree`: the tree of all joins, for other programs.

use std::error::Error;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use finch_core::{AnySamples, Linkage, Metric, Refine, Tree, TreeFormat};
use finch_deep::data::write_npy;

use super::subject::Subject;
use crate::args::read::Reading;
use crate::args::search::SearchArgs;
use crate::args::values::one_of;
use crate::args::write::{MessageArgs, OutputArgs};
use crate::input::error::Usage;
use crate::process::progress::Watch;

const COMMAND: &str = "tree";
/// Joins between a leaf and the root from which on Python refuses the tree: its limit is 1,000 calls.
const DEEP: usize = 900;

/// Write the tree of all joins, from single samples up to one root
///
/// INPUT are files of samples, or a model. Leaves are samples, by their names or numbers. The tree is that
/// of the partitions; with --linkage, that of merging the finest partition down to one cluster.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  finch tree planets.csv
  finch tree planets.csv --format dot | dot -Tsvg > planets.svg
  finch tree customers.finch --format scipy --out linkage.npy   # scipy.cluster.hierarchy.dendrogram
  finch tree customers.finch --linkage ward --out tree.json")]
pub(crate) struct Args {
    /// Files of samples, -, or a model
    #[arg(required = true, value_name = "INPUT")]
    inputs: Vec<PathBuf>,

    /// Format of the tree: scipy is the linkage matrix, dot is for Graphviz [default: newick, or what --out ends in:
    /// .nwk, .newick, .tree, .json, .dot, .gv, .npy]
    ///
    /// The linkage matrix is written as .npy if --out is so named, else as lines of four numbers.
    #[arg(long, value_enum)]
    format: Option<Format>,

    /// Show the merges of the finest partition by this linkage, in place of the partitions
    ///
    /// A model needs its samples for that.
    #[arg(long, value_parser = one_of(Linkage::ALL, Linkage::name))]
    linkage: Option<Linkage>,

    /// Distance between samples [default: euclidean; of a model its own]
    #[arg(long, value_parser = one_of(Metric::ALL, Metric::name))]
    metric: Option<Metric>,

    #[command(flatten)]
    searching: SearchArgs,

    #[command(flatten)]
    writing: OutputArgs,

    #[command(flatten)]
    telling: MessageArgs,

    #[command(flatten)]
    reading: Reading,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    Newick,
    Scipy,
    Json,
    Dot,
}

impl Format {
    /// The format that is asked for, or that the end of the file's name tells.
    ///
    /// # Errors
    /// [`Usage`] for the name of a picture, and for an end that tells no format where none is asked for.
    fn of(args: &Args) -> Result<Self, Usage> {
        let usage = |message| Usage { command: COMMAND, message };
        let extension = args.writing.file().and_then(Path::extension);
        let Some(extension) = extension else { return Ok(args.format.unwrap_or(Format::Newick)) };
        let told = match extension.to_string_lossy().to_ascii_lowercase().as_str() {
            "nwk" | "newick" | "tree" => Some(Format::Newick),
            "npy" => Some(Format::Scipy),
            "json" => Some(Format::Json),
            "dot" | "gv" => Some(Format::Dot),
            "png" | "svg" | "pdf" | "jpg" | "jpeg" | "gif" => {
                return Err(usage(
                    "a tree is written as text, and Graphviz draws it: finch tree … --format dot | dot -Tsvg > \
                     tree.svg",
                ));
            }
            _ => None,
        };
        args.format.or(told).ok_or(usage(
            "the end of the name of --out tells no format: name it .nwk, .json, .dot or .npy, or choose a --format",
        ))
    }
}

/// Runs the command.
///
/// # Errors
/// Any error of reading, clustering or writing; after an error nothing is written.
pub(crate) fn run(args: &Args) -> Result<(), Box<dyn Error>> {
    args.writing.prepare(&[], &args.inputs)?;
    let format = Format::of(args)?;
    let mut watch = Watch::new(args.telling.quiet);
    let options = args.reading.sparse_options();
    let subject = Subject::read(&args.inputs, options, &args.searching, &args.telling, &mut watch)?;
    subject.show_to(&mut watch);
    let tree = match (subject.kept(), args.linkage) {
        (Some(kept), None) => Ok(kept.model.hierarchy().tree()?),
        _ => subject.compute_on(COMMAND, |samples| tree(samples, &subject, args, &mut watch)),
    };
    watch.clear();
    let tree = tree?;
    let names: Option<Vec<&str>> =
        subject.names().map(|names| names.iter().map(String::as_str).collect());
    if format != Format::Dot && !args.telling.quiet {
        tell_depth(&tree)?;
    }
    let text = |format| tree.text(format, names.as_deref());
    let text = match format {
        Format::Newick => text(TreeFormat::Newick)?,
        Format::Json => text(TreeFormat::Json)?,
        Format::Dot => text(TreeFormat::Dot)?,
        Format::Scipy => {
            let linkage = tree.linkage()?;
            let npy = args.writing.out.as_ref().and_then(|path| path.extension());
            if npy.is_some_and(|extension| extension.eq_ignore_ascii_case("npy")) {
                return args.writing.write(|out| write_npy(out, &linkage));
            }
            return args.writing.write(|out| {
                linkage.rows().into_iter().try_for_each(|row| {
                    writeln!(out, "{},{},{},{}", row[0], row[1], row[2], row[3])
                })
            });
        }
    };
    args.writing.write(|out| writeln!(out, "{}", text.trim_end()))
}

/// Says on standard error that many readers refuse so deep a tree.
fn tell_depth(tree: &Tree) -> Result<(), Box<dyn Error>> {
    let depth = tree.depth()?;
    if depth >= DEEP {
        // It is no error if nobody reads it.
        let _ = writeln!(
            io::stderr(),
            "finch: the tree is {depth} joins deep, a chain in places: programs that call themselves at \
             each join, as json and SciPy's dendrogram of Python do, refuse it unless their limit of \
             recursion is raised"
        );
    }
    Ok(())
}

fn tree(
    samples: AnySamples<'_>,
    subject: &Subject,
    args: &Args,
    watch: &mut Watch<'_>,
) -> Result<Tree, Box<dyn Error>> {
    let mut run = args.searching.run(watch);
    let finch = args.searching.finch(subject.metric(args.metric));
    let hierarchy = subject.hierarchy(samples, finch, args.linkage, &mut run)?;
    subject.tell(&args.telling, &args.searching, Some(&hierarchy));
    let Some(linkage) = args.linkage else { return Ok(hierarchy.tree()?) };
    let merged =
        Refine::new(1).linkage(linkage).from(0).dendrogram(samples, &hierarchy, &mut run)?;
    Ok(merged.tree_of_samples(&hierarchy)?)
}
