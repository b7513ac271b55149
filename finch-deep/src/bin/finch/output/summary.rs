//! The result of a run, for people and for scripts.

use std::collections::BTreeMap;
use std::fmt::{self, Display};
use std::fs;
use std::io::Write;

use comfy_table::presets::NOTHING;
use comfy_table::{CellAlignment, Table};
use finch_core::{
    Contingency, Evidence, Hierarchy, Labelling, Labels, LinkBound, Linkage, Recall, Search,
    Warning,
};
use finch_deep::data::{ColumnSurvey, Escaped, Feature, FeatureKind, Input, Recipe};
use finch_deep::scores::Percentages;
use serde::Serialize;
use serde_json::Value;

/// A clustering and, where the truth is known, how good it is. The same input and options give the
/// same report, byte for byte.
#[derive(Serialize)]
pub(crate) struct Report {
    pub(crate) samples: usize,
    pub(crate) features: usize,
    /// The rows of the input that were left out, for their missing values.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) dropped: Vec<usize>,
    /// The parts that `--auto` gave the columns.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) prepared: Option<Prepared>,
    pub(crate) metric: &'static str,
    pub(crate) link_bound: &'static str,
    pub(crate) neighbors: &'static str,
    pub(crate) exact: bool,
    /// The searches for first neighbours, level by level.
    pub(crate) searches: Vec<Searched>,
    /// The warnings of the hierarchy.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) warnings: Vec<String>,
    pub(crate) partitions: Vec<PartitionSummary>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) requested: Option<Requested>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) suggested: Option<Suggested>,
}

/// The changes that options made to the columns: the parts that `--auto` gave the columns of a table, with the
/// arguments that give the same, and logarithms.
#[derive(Serialize)]
pub(crate) struct Prepared {
    #[serde(skip_serializing_if = "Vec::is_empty")]
    columns: Vec<ColumnSurvey>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    arguments: Vec<String>,
    /// The features of which the logarithm of 1 + x was taken: their titles, or `"all"` where they have none.
    #[serde(skip_serializing_if = "Option::is_none")]
    log: Option<Value>,
}

impl Prepared {
    /// The changes to an input that was read by this recipe; none where nothing was chosen or taken.
    pub(crate) fn of(input: &Input, recipe: &Recipe) -> Option<Self> {
        let log = recipe.takes_logarithms().then(|| match input.feature_columns() {
            Some(features) => {
                let logged = features.iter().filter(|feature| feature.kind == FeatureKind::Number);
                logged.map(Feature::title).collect()
            }
            None => "all".into(),
        });
        let (columns, arguments) = match input.survey() {
            Some(survey) => (survey.columns.clone(), survey.arguments()),
            None => Default::default(),
        };
        (log.is_some() || input.survey().is_some()).then_some(Self { columns, arguments, log })
    }
}

/// The search for first neighbours on one level: 0 is the samples, 1 the means of partition 0, …
#[derive(Serialize)]
pub(crate) struct Searched {
    samples: usize,
    search: &'static str,
    reason: String,
    #[serde(flatten)]
    measured: Option<Measured>,
    #[serde(skip_serializing_if = "Option::is_none")]
    seen: Option<Seen>,
}

/// The evidence in the data before the search was chosen.
#[derive(Serialize)]
struct Seen {
    /// The number of distinct samples.
    distinct: Option<usize>,
    /// The intrinsic dimension of the data.
    dimension: Option<f64>,
    /// The searches that were considered, and the seconds that each was expected to take on one core.
    considered: BTreeMap<&'static str, f64>,
    /// All of this as text.
    #[serde(skip)]
    text: String,
}

impl Seen {
    /// `None` if nothing was looked at.
    fn of(evidence: Evidence) -> Option<Self> {
        let considered =
            evidence.considered().map(|(search, seconds)| (search.name(), seconds)).collect();
        let Evidence { distinct, dimension, .. } = evidence;
        let seen = Self { distinct, dimension, considered, text: evidence.to_string() };
        (evidence != Evidence::default()).then_some(seen)
    }
}

/// The share of first neighbours that an approximate search found.
#[derive(Serialize)]
struct Measured {
    recall: f64,
    /// The 95 % confidence interval.
    recall_interval: [f64; 2],
    /// The samples whose exact neighbours were searched to measure the share.
    recall_samples: usize,
}

impl From<Recall> for Measured {
    fn from(recall: Recall) -> Self {
        Self {
            recall: recall.estimate,
            recall_interval: [recall.low, recall.high],
            recall_samples: recall.samples,
        }
    }
}

impl Display for Measured {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [low, high] = self.recall_interval;
        write!(f, "recall {:.4} ({low:.4} to {high:.4})", self.recall)
    }
}

/// The labels of each labelling, by its name, -1 for noise; none for a row that was left out.
pub(crate) type NamedLabels = BTreeMap<String, Vec<Option<i64>>>;

/// The output of `--json`: the report, and what differs from run to run.
#[derive(Serialize)]
pub(crate) struct Printed<'a> {
    #[serde(flatten)]
    report: &'a Report,
    /// The names of all rows of the input, if they have names.
    #[serde(skip_serializing_if = "Option::is_none")]
    names: Option<Vec<Option<&'a str>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    labels: Option<NamedLabels>,
    seconds: Seconds,
    /// None where the system is not Linux.
    peak_memory_bytes: Option<u64>,
}

impl<'a> Printed<'a> {
    pub(crate) fn new(report: &'a Report, seconds: Seconds) -> Self {
        Self { report, names: None, labels: None, seconds, peak_memory_bytes: peak_memory() }
    }

    /// The same with the names and the labels of all rows.
    pub(crate) fn with_labels(
        self,
        names: Option<Vec<Option<&'a str>>>,
        labels: NamedLabels,
    ) -> Self {
        Self { names, labels: Some(labels), ..self }
    }
}

/// The most memory that the process has had in use at a time. Not `getrusage`, which also counts
/// what ran in the process before, such as `cargo run`.
fn peak_memory() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kibibytes: u64 = peak.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes * 1024)
}

/// One partition.
#[derive(Serialize)]
pub(crate) struct PartitionSummary {
    pub(crate) clusters: usize,
    smallest: usize,
    largest: usize,
    /// The number of samples in no cluster, where that is asked for; scores leave them out.
    #[serde(skip_serializing_if = "Option::is_none")]
    noise: Option<usize>,
    #[serde(flatten)]
    pub(crate) scores: Option<Percentages>,
}

/// The partition that `--clusters` asked for.
#[derive(Serialize)]
pub(crate) struct Requested {
    pub(crate) linkage: &'static str,
    /// The partition that merging started from; none where the first one was split.
    pub(crate) from: Option<usize>,
    #[serde(flatten)]
    pub(crate) summary: PartitionSummary,
}

impl Requested {
    /// The name in a table: by means is said, which the data may have chosen.
    fn name(&self) -> &'static str {
        match self.linkage == Linkage::Means.name() {
            true => "requested, by means",
            false => "requested",
        }
    }
}

/// The recommendation of `--suggest`.
#[derive(Serialize)]
pub(crate) struct Suggested {
    /// The partition of the hierarchy that agrees best with the recommended clusters.
    pub(crate) partition: usize,
    /// The Jaccard index to expect of the clusters and those of other samples of the same kind.
    pub(crate) persistence: f64,
    /// The numbers of clusters that fit best, at most three.
    pub(crate) best: Vec<usize>,
    /// The numbers of clusters that fit almost as well as the suggested one.
    pub(crate) rivals: Vec<usize>,
    /// False if the data may have no clusters at all; none if there are too few samples to tell.
    pub(crate) has_clusters: Option<bool>,
    /// The share of links to other clusters at the borders of clusters.
    pub(crate) mixing: f64,
    #[serde(flatten)]
    pub(crate) summary: PartitionSummary,
}

/// The times of the parts of a run, in seconds.
#[derive(Serialize)]
pub(crate) struct Seconds {
    pub(crate) read: f64,
    pub(crate) neighbors: f64,
    pub(crate) merging: f64,
    pub(crate) total: f64,
}

impl PartitionSummary {
    /// The summary of labels of so many clusters, some of which may be noise.
    ///
    /// # Errors
    /// [`finch_core::Error::SampleCount`] if the truth is of another number of samples.
    pub(crate) fn of(
        labelling: Labelling<'_>,
        truth: Option<&[u32]>,
        weights: Option<&[f64]>,
    ) -> finch_core::Result<Self> {
        let (labels, sizes) = (labelling.labels(), labelling.sizes());
        let scores = |truth: &[u32]| {
            let (counted, _) = Contingency::without_noise(labels, truth, weights, Labels::NOISE)?;
            finch_core::Result::Ok(counted.scores()?.into())
        };
        // Without a cluster there is nothing to compare.
        let scores = truth.filter(|_| labelling.clusters() > 0).map(scores).transpose()?;
        let noise = labels.len() - sizes.iter().sum::<usize>();
        Ok(Self { noise: Some(noise).filter(|&noise| noise > 0), ..Self::sized(&sizes, scores) })
    }

    /// The summary of clusters of these sizes, whose scores are known.
    pub(crate) fn sized(sizes: &[usize], scores: Option<Percentages>) -> Self {
        Self {
            clusters: sizes.len(),
            smallest: sizes.iter().copied().min().unwrap_or(0),
            largest: sizes.iter().copied().max().unwrap_or(0),
            noise: None,
            scores,
        }
    }
}

impl Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Report { samples, features, metric, neighbors, .. } = self;
        let (samples, features) = (counted(*samples, "sample"), counted(*features, "feature"));
        write!(f, "{samples} × {features}, {metric}, {neighbors} search")?;
        match self.measured() {
            Some(measured) => write!(f, ", {measured}"),
            None => Ok(()),
        }
    }
}

impl Report {
    /// The report on a hierarchy of an input, whose partitions are still to be measured.
    pub(crate) fn new(hierarchy: &Hierarchy, input: &Input, link_bound: LinkBound) -> Self {
        let first = hierarchy.first_neighbors();
        Self {
            samples: hierarchy.samples(),
            features: hierarchy.features(),
            dropped: input.dropped().iter().map(|dropped| dropped.row).collect(),
            prepared: None,
            metric: hierarchy.metric().name(),
            link_bound: link_bound.name(),
            neighbors: first.search().map_or("given", Search::name),
            exact: first.exact(),
            searches: hierarchy.levels().iter().map(Searched::of).collect(),
            warnings: sentences_of_rows(&hierarchy.warnings(), input),
            partitions: Vec::new(),
            requested: None,
            suggested: None,
        }
    }

    /// The measured recall of the search for first neighbours of the samples, if that was
    /// approximate.
    fn measured(&self) -> Option<&Measured> {
        self.searches.first().and_then(|searched| searched.measured.as_ref())
    }

    /// A line for each search.
    pub(crate) fn searches(&self) -> String {
        let line = |(level, searched): (usize, &Searched)| {
            let Searched { samples, search, reason, measured, seen } = searched;
            let measured = measured.as_ref().map_or(String::new(), |found| format!("; {found}"));
            let seen = seen.as_ref().map_or(String::new(), |seen| format!("    {}\n", seen.text));
            format!("level {level}, {samples} samples: {search} search, {reason}{measured}\n{seen}")
        };
        self.searches.iter().enumerate().map(line).collect()
    }

    /// A line for each partition.
    pub(crate) fn table(&self) -> Table {
        let mut columns = vec!["partition", "clusters", "smallest", "largest"];
        let further = [
            self.requested.as_ref().map(|requested| (requested.name(), &requested.summary)),
            self.suggested.as_ref().map(|suggested| ("suggested", &suggested.summary)),
        ];
        let further = || further.iter().flatten();
        let has_noise = further().any(|(_, summary)| summary.noise.is_some());
        if has_noise {
            columns.push("noise");
        }
        if self.partitions.iter().any(|summary| summary.scores.is_some()) {
            columns.extend(["purity", "NMI (geometric)", "ACC", "ARI", "pairwise F", "B-cubed F"]);
        }
        let mut table = plain(&columns);
        for (number, summary) in self.partitions.iter().enumerate() {
            table.add_row(summary.cells(&number, has_noise));
        }
        for (name, summary) in further() {
            table.add_row(summary.cells(name, has_noise));
        }
        table
    }
}

/// A number with its noun, in the plural unless it is one.
pub(crate) fn counted(number: usize, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}

/// Warnings in words.
pub(crate) fn sentences(warnings: &[Warning]) -> Vec<String> {
    warnings.iter().map(ToString::to_string).collect()
}

/// Warnings of samples that were read, in words that name rows of the input.
pub(crate) fn sentences_of_rows(warnings: &[Warning], input: &Input) -> Vec<String> {
    let of_row = |warning: &Warning| {
        let mut warning = *warning;
        if let Warning::ZeroRows { first, .. } | Warning::NothingNear { first, .. } = &mut warning {
            *first = input.row(*first as usize) as u32;
        }
        warning.to_string()
    };
    warnings.iter().map(of_row).collect()
}

/// Says warnings on standard error, each in a line. It is no error if nobody reads them.
pub(crate) fn tell_warnings(warnings: &[String], err: &mut dyn Write) {
    for warning in warnings {
        let _ = writeln!(err, "finch: {warning}");
    }
}

impl Searched {
    fn of(level: &finch_core::Level) -> Self {
        let Some(choice) = level.choice else {
            let reason = String::from("by the caller");
            let samples = level.samples;
            return Self { samples, search: "given", reason, measured: None, seen: None };
        };
        Self {
            samples: level.samples,
            search: choice.search.name(),
            reason: choice.reason.to_string(),
            measured: choice.recall.map(Measured::from),
            seen: Seen::of(choice.evidence),
        }
    }
}

impl PartitionSummary {
    fn cells(&self, name: &dyn Display, has_noise: bool) -> Vec<String> {
        let counts = [self.clusters, self.smallest, self.largest].map(|count| count.to_string());
        let scores = self.scores.iter().flat_map(|scores| {
            let Percentages { purity, nmi, acc, ari, pairwise, bcubed, .. } = *scores;
            let scores =
                [Some(purity), Some(nmi), acc, Some(ari), Some(pairwise.f), Some(bcubed.f)];
            scores.map(|score| score.map_or("–".into(), |score| format!("{score:.2}")))
        });
        let noise = has_noise.then(|| self.noise.unwrap_or(0).to_string());
        [name.to_string()].into_iter().chain(counts).chain(noise).chain(scores).collect()
    }
}

/// Every measure, a line each, with a column for each of some labellings, which may have titles.
pub(crate) fn measures(labellings: &[Percentages], titles: Option<&[String]>) -> Table {
    let mut columns = vec![String::from("measure")];
    match (labellings.len(), titles) {
        (_, Some(titles)) => {
            columns.extend(titles.iter().map(|title| Escaped(title).to_string()));
        }
        (1, None) => columns.push("percent".into()),
        (many, None) => columns.extend((0..many).map(|number| format!("partition {number}"))),
    }
    let mut table = plain(&columns);
    type Measure = fn(&Percentages) -> Option<f64>;
    let has_noise = labellings.iter().any(|scores| scores.noise.is_some());
    let noise: Option<(&str, Measure)> =
        has_noise.then_some(("noise, left out", |scores| Some(scores.noise.unwrap_or(0.0))));
    let lines: [(&str, Measure); 11] = [
        ("NMI (geometric)", |scores| Some(scores.nmi)),
        ("NMI (arithmetic)", |scores| Some(scores.nmi_arithmetic)),
        ("ACC", |scores| scores.acc),
        ("purity", |scores| Some(scores.purity)),
        ("ARI", |scores| Some(scores.ari)),
        ("pairwise precision", |scores| Some(scores.pairwise.precision)),
        ("pairwise recall", |scores| Some(scores.pairwise.recall)),
        ("pairwise F", |scores| Some(scores.pairwise.f)),
        ("B-cubed precision", |scores| Some(scores.bcubed.precision)),
        ("B-cubed recall", |scores| Some(scores.bcubed.recall)),
        ("B-cubed F", |scores| Some(scores.bcubed.f)),
    ];
    for (name, measure) in lines.into_iter().chain(noise) {
        let value = |score: Option<f64>| score.map_or("–".into(), |score| format!("{score:.4}"));
        let values = labellings.iter().map(|scores| value(measure(scores)));
        table.add_row([name.to_string()].into_iter().chain(values));
    }
    if let Some(column) = table.column_mut(0) {
        column.set_cell_alignment(CellAlignment::Left);
    }
    table
}

/// Columns of numbers under their names, without lines.
pub(crate) fn plain<T: ToString>(columns: &[T]) -> Table {
    let mut table = Table::new();
    table.load_style(NOTHING).set_header(columns.iter().map(ToString::to_string));
    table.column_iter_mut().for_each(|column| {
        column.set_cell_alignment(CellAlignment::Right);
    });
    table
}

/// The clusters by the names of their samples, for data small enough to be read.
pub(crate) fn groups(labels: &Labels, names: &[String]) -> String {
    let mut members = vec![Vec::new(); labels.clusters()];
    let mut noise = Vec::new();
    for (name, &label) in names.iter().zip(labels.labels()) {
        let of = if label == Labels::NOISE { &mut noise } else { &mut members[label as usize] };
        of.push(Escaped(name).to_string());
    }
    let numbered = members.iter().enumerate();
    let lines = numbered.map(|(cluster, names)| format!("  {cluster}: {}\n", names.join(", ")));
    let noise = (!noise.is_empty()).then(|| format!("  -1: {}\n", noise.join(", ")));
    lines.chain(noise).collect()
}
