//! `finch extend`: more samples for a model, whose clusters keep their names.

use std::collections::{BTreeSet, HashSet};
use std::error::Error;
use std::io::{self, Write};
use std::path::PathBuf;
use std::slice;
use std::sync::Arc;

use finch_core::{
    AnySamples, ElementType, Finch, Hierarchy, Labelling, Labels, Model, Origin, Refine, Renaming,
    Run, Samples, bf16, f16,
};
use finch_deep::data::{Escaped, Input};
use serde_json::{Value, json};

use super::predict::{inputs_beside, read_new};
use crate::args::read::{FileReading, tell_notes};
use crate::args::search::{LISTED, SearchArgs};
use crate::args::write::{MessageArgs, OutputArgs};
use crate::input::error::Unsound;
use crate::input::mapped::on_unchanged;
use crate::input::model_file::{self, Kept, Names, Notes, Refined};
use crate::input::samples::{Exact, exactly};
use crate::output::place::are_one_file;
use crate::output::records::{Records, Rows, Values};
use crate::output::summary::{plain, sentences, tell_warnings};
use crate::process::progress::Watch;
use crate::process::signals;

const COMMAND: &str = "extend";

/// Add samples to a model
///
/// The new model is the same as that of all samples clustered together, if searches are exact; but finch
/// compares only the new samples with all. A cluster keeps the name (number) of the old cluster that it
/// mostly consists of, here and in finch predict by the new model. finch says which clusters grew, merged,
/// split and appeared. It fills, scales and encodes the new samples as it did the old ones: it computes no
/// mean or deviation anew.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  finch extend customers.finch new.csv --model customers-2.finch
  finch extend customers.finch new.csv --model customers.finch --out labels.csv --verbose")]
pub(crate) struct Args {
    /// The model, with its samples
    old: PathBuf,

    /// Files of samples, or -
    #[arg(required = true, value_name = "NEW")]
    inputs: Vec<PathBuf>,

    /// Save the new model in this file, which may be that of the old model
    #[arg(short, long, value_name = "NEW_MODEL")]
    model: PathBuf,

    /// Add samples whose names the model has already; without this option they are refused
    #[arg(long)]
    same_names: bool,

    #[command(flatten)]
    searching: SearchArgs,

    #[command(flatten)]
    writing: OutputArgs,

    /// Print one JSON object instead of tables, with the fates of the clusters of each labelling
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    telling: MessageArgs,

    #[command(flatten)]
    reading: FileReading,
}

/// The linkage of the requested clusters is of another finch.
#[derive(Debug, thiserror::Error)]
#[error("the clusters of the model were made by a linkage {0:?}, which this finch does not know")]
struct UnknownLinkage(String);

/// New samples have names that the model has already: most likely they are the same samples.
#[derive(Debug, thiserror::Error)]
#[error(
    "{}: {again} of {samples} samples have names that the model has already, such as {:?}, and would count \
     twice: leave them out, or add them all the same by --same-names",
    Escaped(path.display()), Escaped(name).to_string()
)]
struct SameNames {
    path: PathBuf,
    again: usize,
    samples: usize,
    name: String,
}

/// Runs the command. With `--out` the labels of all samples go into that file.
///
/// # Errors
/// Any error of reading, clustering or writing; after an error nothing is written.
pub(crate) fn run(args: &Args) -> Result<(), Box<dyn Error>> {
    let format = args.writing.table_format(COMMAND)?;
    args.writing.expect_alone(COMMAND, args.json)?;
    // Who names the old model twice wants the new one in its place.
    let is_again = are_one_file(&args.model, &args.old);
    let force = args.writing.force || is_again;
    let inputs = inputs_beside(&args.old, &args.inputs)?;
    let new = model_file::place(&args.model, force)?;
    let old = if is_again { &[] } else { slice::from_ref(&args.old) };
    args.writing.prepare(&[new], &[old, &args.inputs[..]].concat())?;
    let kept = Kept::load(&args.old)?;
    kept.samples(COMMAND)?;
    let mut watch = Watch::new(args.telling.quiet);
    watch.reading();
    let input = read_new(&kept, &inputs, &args.reading, args.searching.threads)?;
    if !args.same_names {
        expect_other_names(&kept, &input)?;
    }
    signals::hold();
    watch.of(&input);
    let extended = on_unchanged(&input, || {
        let on = On { kept: &kept, inputs: &inputs, input: &input, searching: &args.searching };
        match kept.model.element() {
            Some(ElementType::F32) => extended::<f32>(&on, &mut watch),
            Some(ElementType::U8 | ElementType::Bits) => extended::<u8>(&on, &mut watch),
            Some(ElementType::F16) => extended::<f16>(&on, &mut watch),
            Some(ElementType::BF16) => extended::<bf16>(&on, &mut watch),
            Some(ElementType::I8) => extended::<i8>(&on, &mut watch),
            _ => extended::<f64>(&on, &mut watch),
        }
    });
    watch.clear();
    let Extended { model, refined } = extended?;
    if !args.telling.quiet {
        tell_notes(&input, &mut io::stderr());
        args.searching.tell_useless(&mut io::stderr());
        let mut warnings = sentences(&model.hierarchy().warnings());
        warnings.extend(lost_noise(&kept));
        tell_warnings(&warnings, &mut io::stderr());
    }
    let changes = changes(&kept, &model, &refined)?;
    let names = all_names(&kept, &input);
    if args.writing.out.is_some() {
        let label = |change: &Change<'_>| match change.name.parse::<usize>() {
            Ok(partition) => (format!("partition_{partition}"), Values::Indices(change.labels())),
            Err(_) => (change.name.clone(), Values::Indices(change.labels())),
        };
        let columns = changes.iter().map(label).collect();
        let rows = Rows::named(model.hierarchy().samples(), names.as_deref());
        args.writing.write_records(&Records::new(rows, columns), format, false)?;
    }
    let said = match args.json {
        true => serde_json::to_string(&said(&changes, &model))? + "\n",
        false if args.telling.quiet || args.writing.is_printed() => String::new(),
        false => shown(&changes, args.telling.verbose),
    };
    if let Some(old) = &kept.notes {
        let mut notes = Notes::new(old.recipe.clone(), names.as_deref(), refined);
        notes.clusters = changes.into_iter().map(Change::into_names).collect();
        model_file::save(&args.model, force, model, &notes)?;
    } else {
        model_file::save_bare(&args.model, force, &model)?;
    }
    let mut out = io::stdout().lock();
    out.write_all(said.as_bytes())?;
    Ok(out.flush()?)
}

/// A sentence about noise that the new model lacks: a model does not keep the options that made its noise.
fn lost_noise(kept: &Kept) -> Option<String> {
    let lost = "which the new model has not: for noise among all samples, cluster them anew";
    let has_noise = kept.model.refined().iter().any(|labels| labels.noise() > 0);
    has_noise.then(|| format!("the labels of the model have noise, {lost}"))
}

/// The model to extend, and the samples to extend it by.
struct On<'a> {
    kept: &'a Kept,
    inputs: &'a [PathBuf],
    input: &'a Input,
    searching: &'a SearchArgs,
}

struct Extended {
    model: Model,
    /// The sources of the refined labellings.
    refined: Vec<Refined>,
}

fn extended<A: Exact>(on: &On<'_>, watch: &mut Watch<'_>) -> Result<Extended, Box<dyn Error>> {
    let unsound = |error| Unsound::of_samples(on.inputs, on.input, error);
    let mut run = on.searching.run(watch);
    let before = on.kept.model.hierarchy();
    let finch = on
        .searching
        .finch(before.metric())
        .link_bound(before.link_bound())
        .keep_neighbors(before.neighbors().map_or(0, finch_core::Neighbors::k));
    if let Some(rows) = on.input.sparse() {
        let new = rows.checked().map_err(unsound)?;
        return grown(on, (&new).into(), &finch, &mut run);
    }
    let new = exactly::<A>(&on.input.matrix()).map_err(unsound)?;
    // So that an error tells the row of the file.
    let checked = Samples::new(new.view()).map_err(unsound)?;
    grown(on, (&checked).into(), &finch, &mut run)
}

/// The extended model, by new samples of its element type.
fn grown(
    on: &On<'_>,
    new: AnySamples<'_>,
    finch: &Finch,
    run: &mut Run<'_>,
) -> Result<Extended, Box<dyn Error>> {
    let grown = on.kept.model.extend(finch, new, run)?;
    let all = grown.samples().expect("an extended model keeps its samples");
    refined(on, all, Arc::clone(grown.hierarchy()), run)
}

/// The extended model, with labellings refined as those of the model before.
fn refined(
    on: &On<'_>,
    samples: AnySamples<'_>,
    hierarchy: Arc<Hierarchy>,
    run: &mut Run<'_>,
) -> Result<Extended, Box<dyn Error>> {
    let (mut labellings, mut refined) = (Vec::new(), Vec::new());
    let known = on.kept.notes.iter().flat_map(|notes| &notes.refined);
    for (what, before) in known.zip(on.kept.model.refined()) {
        // Noise is not asked for again: every sample is in a cluster.
        labellings.push(Labels::from(match what {
            Refined::Suggested => hierarchy.suggest_with(samples, run)?.cut,
            Refined::Requested { linkage, from } => {
                let refine = requested(on.kept, (linkage, *from), before.clusters())?;
                refine.run_with(samples, &hierarchy, run)?
            }
        }));
        refined.push(what.clone());
    }
    let model = Model::new(hierarchy, samples, labellings, run)?.keep_samples(samples)?;
    Ok(Extended { model, refined })
}

/// The request of so many clusters as the model was made with, from the partition that it names unless
/// that is the one by default.
fn requested(
    kept: &Kept,
    (linkage, from): (&str, Option<usize>),
    clusters: usize,
) -> Result<Refine<'static>, Box<dyn Error>> {
    let linkage = linkage.parse().map_err(|_| UnknownLinkage(linkage.into()))?;
    let refine = Refine::new(clusters).linkage(linkage);
    let by_default = refine.start(kept.model.hierarchy())?;
    Ok(match from.filter(|_| from != by_default) {
        Some(from) => refine.from(from),
        None => refine,
    })
}

/// The fate of the clusters of a labelling.
struct Change<'a> {
    /// The name of the labelling.
    name: String,
    new: Labelling<'a>,
    /// Nothing where there was no such labelling.
    since: Option<(Labelling<'a>, Renaming)>,
    /// The names of the clusters.
    names: Names,
    /// The names of the old clusters.
    old_names: Vec<u32>,
}

/// The changes of all labellings.
fn changes<'a>(
    kept: &'a Kept,
    model: &'a Model,
    refined: &[Refined],
) -> Result<Vec<Change<'a>>, Box<dyn Error>> {
    let partitions = model.hierarchy().partitions().len();
    let name = |labelling: usize| match refined.get(labelling.wrapping_sub(partitions)) {
        Some(refined) => refined.name().to_string(),
        None => labelling.to_string(),
    };
    let old_names = kept.labelling_names();
    let mut changes = Vec::new();
    for labelling in 0..model.labellings() {
        let (name, new) = (name(labelling), model.labelling(labelling)?);
        let clusters = new.clusters() as u32;
        let Some(before) = old_names.iter().position(|old| *old == name) else {
            let names = Names { names: (0..clusters).collect(), given: clusters };
            changes.push(Change { name, new, since: None, names, old_names: Vec::new() });
            continue;
        };
        let old = kept.model.labelling(before)?;
        let renaming = new.named_after(old)?;
        let of_old = match kept.cluster_names(before) {
            Some(names) => names.clone(),
            None => {
                let clusters = old.clusters() as u32;
                Names { names: (0..clusters).collect(), given: clusters }
            }
        };
        let rename = |&name: &u32| match of_old.names.get(name as usize) {
            Some(&name) => name,
            None => of_old.given + (name - old.clusters() as u32),
        };
        let names: Vec<u32> = renaming.names.iter().map(rename).collect();
        let given = names.iter().map(|&name| name + 1).max().unwrap_or(0).max(of_old.given);
        let since = Some((old, renaming));
        let names = Names { names, given };
        changes.push(Change { name, new, since, names, old_names: of_old.names });
    }
    Ok(changes)
}

impl Change<'_> {
    fn labels(&self) -> Vec<u32> {
        self.new.labels().iter().map(|&label| self.names.names[label as usize]).collect()
    }

    /// The names, where they are not the numbers of the clusters.
    fn into_names(self) -> Option<Names> {
        let plain = self.names.names.iter().copied().eq(0..self.names.given);
        (!plain).then_some(self.names)
    }

    /// The number of clusters that have a fate.
    fn count(&self, fate: Origin) -> usize {
        let fates = self.since.iter().flat_map(|(_, renaming)| &renaming.fates);
        fates.filter(|&&other| other == fate).count()
    }

    /// Of each cluster that merged, split or appeared, its name, and the names of the old clusters that
    /// its samples are of.
    fn events(&self) -> Vec<(u32, Origin, BTreeSet<u32>)> {
        let Some((old, renaming)) = &self.since else { return Vec::new() };
        let mut of = vec![BTreeSet::new(); self.new.clusters()];
        // A sample that was noise counts as a new one.
        let pairs = old.labels().iter().zip(self.new.labels());
        for (&before, &now) in pairs.filter(|&(&before, _)| before != Labels::NOISE) {
            of[now as usize].insert(self.old_names[before as usize]);
        }
        let all = self.names.names.iter().zip(&renaming.fates).zip(of);
        let all = all.map(|((&name, &fate), old)| (name, fate, old));
        all.filter(|(_, fate, _)| !matches!(fate, Origin::Kept | Origin::Grew)).collect()
    }
}

fn word(fate: Origin) -> &'static str {
    match fate {
        Origin::Kept => "kept",
        Origin::Grew => "grew",
        Origin::Merged => "merged",
        Origin::Split => "split",
        Origin::Appeared => "appeared",
        _ => "changed",
    }
}

const FATES: [Origin; 5] =
    [Origin::Kept, Origin::Grew, Origin::Merged, Origin::Split, Origin::Appeared];

/// The changes for people: counts for each labelling, and what merged, split and appeared in the last
/// one, or in all.
fn shown(changes: &[Change<'_>], all: bool) -> String {
    let mut table =
        plain(&["labelling", "clusters", "kept", "grew", "merged", "split", "appeared"]);
    for change in changes {
        let counts = FATES.map(|fate| match change.since {
            Some(_) => change.count(fate).to_string(),
            None => "–".into(),
        });
        let first = [change.name.clone(), change.new.clusters().to_string()];
        table.add_row(first.into_iter().chain(counts));
    }
    let mut text = format!("{}\n", table.trim_fmt());
    let refined = changes.iter().position(|change| change.name.parse::<usize>().is_err());
    let one = refined.unwrap_or(0);
    for (_, change) in changes.iter().enumerate().filter(|(at, _)| all || *at == one) {
        let events = change.events();
        for (name, fate, old) in events.iter().take(LISTED) {
            let old: Vec<String> = old.iter().map(u32::to_string).collect();
            let old = old.join(", ");
            let what = match fate {
                Origin::Merged => format!("merged, of samples of {old}"),
                Origin::Split => format!("is a part of {old}"),
                _ => "appeared".into(),
            };
            text += &format!("{}: cluster {name} {what}\n", change.name);
        }
        if events.len() > LISTED {
            text += &format!("{}: … and {} more\n", change.name, events.len() - LISTED);
        }
    }
    text
}

fn said(changes: &[Change<'_>], model: &Model) -> Value {
    let events = |change: &Change<'_>| -> Vec<Value> {
        let event = |(name, fate, old): &(u32, Origin, BTreeSet<u32>)| json!({ "cluster": name, "fate": word(*fate), "of": old });
        change.events().iter().map(event).collect()
    };
    let labelling = |change: &Change<'_>| {
        let mut object = json!({ "labelling": change.name, "clusters": change.new.clusters() });
        if change.since.is_some() {
            for fate in FATES {
                object[word(fate)] = change.count(fate).into();
            }
            object["changes"] = events(change).into();
        }
        object
    };
    json!({
        "samples": model.hierarchy().samples(),
        "labellings": changes.iter().map(labelling).collect::<Vec<_>>(),
    })
}

/// Checks that no new sample has the name of an old one, where names differ among the old and among the new: other
/// names, such as classes, are of several samples anyway.
fn expect_other_names(kept: &Kept, input: &Input) -> Result<(), SameNames> {
    let (Some(old), Some(new)) = (kept.names(), input.names()) else { return Ok(()) };
    let [known, found] = [old, new].map(|names| names.iter().collect::<HashSet<_>>());
    if known.len() < old.len() || found.len() < new.len() {
        return Ok(());
    }
    let mut again = new.iter().filter(|name| known.contains(name));
    let Some(first) = again.next() else { return Ok(()) };
    Err(SameNames {
        path: input.path().into(),
        again: 1 + again.count(),
        samples: new.len(),
        name: first.clone(),
    })
}

/// The names of all samples, if old or new ones have names; a sample without one goes by its number, above all numbers
/// that old ones go by.
fn all_names(kept: &Kept, input: &Input) -> Option<Vec<String>> {
    let old = kept.model.hierarchy().samples();
    if kept.names().is_none() && input.names().is_none() {
        return None;
    }
    let name = |names: Option<&[String]>, at: usize, number: usize| {
        names.map_or_else(|| number.to_string(), |names| names[at].clone())
    };
    let numbers = kept.names().into_iter().flatten().filter_map(|name| name.parse::<usize>().ok());
    let start = numbers.map(|number| number.saturating_add(1)).max().map_or(old, |it| it.max(old));
    let first = (0..old).map(|at| name(kept.names(), at, at));
    let later = (0..input.samples()).map(|at| name(input.names(), at, start.saturating_add(at)));
    Some(first.chain(later).collect())
}
