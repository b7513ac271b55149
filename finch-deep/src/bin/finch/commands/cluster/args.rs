//! The arguments of `finch cluster`.

use std::path::PathBuf;

use finch_core::{LinkBound, Linkage, Metric};

use crate::args::constraints::ConstraintArgs;
use crate::args::noise::NoiseArgs;
use crate::args::per_sample::{TimeArgs, WeightArgs};
use crate::args::precomputed::PrecomputedArgs;
use crate::args::read::{LabelReading, Reading};
use crate::args::report::ReportArgs;
use crate::args::search::SearchArgs;
use crate::args::values::{one_of, whole};
use crate::args::write::expect_alone;
use crate::input::error::Usage;
use crate::output::place::{ends_as_file, is_standard_output};
use crate::output::table_format::TableFormat;

/// Cluster files of samples into a hierarchy of partitions
///
/// Rows are samples. Reads .npy, .npz, .mtx, .svmlight, .csv, .tsv, .txt, .xlsx, .ods, .json, .jsonl, .arff,
/// .parquet, .arrow (.feather), .mat and IDX files, also as .gz or .zst. Several files are stacked; - is standard input.
///
/// Three kinds of clusters:
///   suggestion  --suggest     You do not know how many: finch takes the number that fits best, and
///                             says if the data has no clusters at all.
///   exactly K   --clusters K  You know how many: finch merges the clusters that share the most
///                             neighbours until K are left.
///   partitions  (always)      You want levels of detail: partition 0 is the finest, and the data
///                             decides how many clusters each one has.
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
#[command(after_help = "\
Examples:
  finch cluster planets.csv
  finch cluster features.npy --suggest
  finch cluster features.npy --clusters 10 --metric cosine --out labels.csv
  finch cluster people.csv --auto -o labels.csv
  finch cluster customers.csv --standardize zscore --report page.html
  finch cluster customers.csv --standardize zscore -k 8 --model customers.finch")]
#[command(after_long_help = "\
Examples:
  finch cluster planets.csv
  finch cluster features.npy --suggest
  finch cluster features.npy --clusters 10 --json
  finch cluster features.npy --metric cosine --out run
  finch cluster customers.csv --standardize zscore --report page.html
  finch cluster customers.csv --standardize zscore -k 8 --model customers.finch
  finch cluster customers.csv --standardize zscore --missing median --out labels.csv
  finch cluster customers.csv --drop id --categorical auto --append -o with-labels.csv
  finch cluster customers.parquet --drop id -o labels.parquet --append
  finch cluster 'part-*.parquet' --select embedding --out labels.csv
  zcat table.csv.gz | finch cluster - --format csv --json --with-labels
  duckdb -csv -c 'FROM sales' | finch cluster - --format csv -o labels.csv
  finch cluster - --format parquet -o labels.parquet < table.parquet
  finch cluster survey.csv --weight-column persons
  finch cluster frames.csv --metric cosine --time second --clusters 8 --segments
  finch cluster features.npy --known-neighbors neighbors.npz
  finch cluster distances.npy --precomputed --suggest
  finch cluster millions.npy --recall 0.95 --verbose
  finch cluster millions.npy --time-limit 60
  finch cluster --embed run features.npy --clusters 10
  finch cluster train-images-idx3-ubyte.gz t10k-images-idx3-ubyte.gz \\
      --labels train-labels-idx1-ubyte.gz t10k-labels-idx1-ubyte.gz")]
pub(crate) struct Args {
    /// Files of samples, or -
    #[arg(required_unless_present = "known_neighbors", value_name = "INPUT")]
    pub(super) inputs: Vec<PathBuf>,

    /// Also recommend a number of clusters
    ///
    /// A number is recommended even for data that has no clusters, with a note. Names the partition
    /// that agrees best, too. --report does the same.
    #[arg(long)]
    pub(super) suggest: bool,

    /// Also make exactly K clusters
    #[arg(
        short = 'k',
        long,
        value_name = "K",
        value_parser = whole::<usize>,
        allow_negative_numbers = true
    )]
    pub(super) clusters: Option<usize>,

    /// Distance between samples [default: euclidean; with --embed the run's]
    #[arg(long, value_parser = one_of(Metric::ALL, Metric::name))]
    pub(super) metric: Option<Metric>,

    /// Write the labels into a directory, or as a table such as labels.csv, or - for standard output
    ///
    /// Into a directory: labels.npy (int32, samples × partitions), requested.npy, suggested.npy and
    /// hierarchy.json. Into a file, by the end of its name: .csv, .tsv, .json, .jsonl, .parquet or
    /// .arrow, a row for each sample with its name (or row, from 0), partition_0, …, requested and
    /// suggested.
    #[arg(short, long, value_name = "DIR|FILE")]
    pub(super) out: Option<PathBuf>,

    /// Write over files that exist
    #[arg(long)]
    pub(super) force: bool,

    #[command(flatten)]
    pub(super) paging: ReportArgs,

    /// Save a model, for finch predict, extend, tree and describe
    ///
    /// A safetensors file of the partitions, the clusters of --clusters and --suggest, their means, the
    /// samples, and the treatment of the columns.
    #[arg(short, long, value_name = "FILE")]
    pub(super) model: Option<PathBuf>,

    /// True classes, to score each partition with (stacked like the inputs)
    #[arg(long, value_name = "FILE", num_args = 1..)]
    pub(super) labels: Vec<PathBuf>,

    /// Print one JSON object instead of a table
    #[arg(long)]
    pub(super) json: bool,

    /// Print names and labels in the JSON object, too
    #[arg(long, requires = "json")]
    pub(super) with_labels: bool,

    /// Write the columns of the input, a table, before those of the labels
    #[arg(long, requires = "out")]
    pub(super) append: bool,

    /// Keep no samples in the model, which is then smaller, and predicts by the nearest mean
    #[arg(long, requires = "model")]
    pub(super) without_samples: bool,

    /// Clusters that merge first on the way to K
    ///
    /// auto: neighbor, or means where means are nearer than neighbours and clusters by means come back more
    /// surely; the summary says which. neighbor: those whose samples share the most neighbours (this is not
    /// single linkage). means: as ward, then each sample moves to the nearest mean (k-means). centroid: those
    /// with the closest means, Algorithm 2 of the paper. ward: those whose merging adds least to the squared
    /// distances from means.
    #[arg(
        long,
        default_value = Linkage::default().name(),
        value_parser = one_of(Linkage::ALL, Linkage::name),
        requires = "clusters"
    )]
    pub(super) linkage: Linkage,

    /// Partition to merge from [default: 0 for auto and neighbor, else the coarsest with at least K
    /// clusters; if none has K or more, partition 0 is split]
    #[arg(
        long,
        value_name = "PARTITION",
        value_parser = whole::<usize>,
        allow_negative_numbers = true,
        requires = "clusters"
    )]
    pub(super) from: Option<usize>,

    #[command(flatten)]
    pub(super) ruling: ConstraintArgs,

    #[command(flatten)]
    pub(super) noise: NoiseArgs,

    /// Longest link that may merge clusters
    ///
    /// first-neighbor: the longest first-neighbour link between samples. joined-pair: the longest pair
    /// of samples that are first neighbours or have the same one, as in the authors' MATLAB code.
    #[arg(
        long,
        default_value = LinkBound::default().name(),
        value_parser = one_of(LinkBound::ALL, LinkBound::name)
    )]
    pub(super) link_bound: LinkBound,

    /// Embed the samples by the network of this run of finch train first
    #[arg(long, value_name = "RUN")]
    pub(super) embed: Option<PathBuf>,

    #[command(flatten)]
    pub(super) searching: SearchArgs,

    #[command(flatten)]
    pub(super) weighing: WeightArgs,

    #[command(flatten)]
    pub(super) timing: TimeArgs,

    #[command(flatten)]
    pub(super) given: PrecomputedArgs,

    /// Say what is in each column, and for each level which search was chosen, why, and what it found
    #[arg(short, long)]
    pub(super) verbose: bool,

    /// No table, no progress bar and no advice
    #[arg(short, long)]
    pub(super) quiet: bool,

    #[command(flatten)]
    pub(super) reading: Reading,

    #[command(flatten)]
    pub(super) label_reading: LabelReading,
}

impl Args {
    /// The format of a table of labels, where `--out` names one.
    pub(super) fn table_format(&self) -> Option<TableFormat> {
        match self.out.as_deref() {
            Some(path) if is_standard_output(path) => Some(TableFormat::Csv),
            path => path.and_then(TableFormat::of),
        }
    }

    /// True if the labels are written on standard output, where nothing else is then printed.
    pub(super) fn is_printed(&self) -> bool {
        self.out.as_deref().is_some_and(is_standard_output)
    }

    /// Refuses options that do not go together.
    pub(super) fn check(&self) -> Result<(), Usage> {
        let refused = |message| Err(Usage { command: "cluster", message });
        expect_alone(self.is_printed(), "cluster", self.json)?;
        if self.table_format().is_none() && self.out.as_deref().is_some_and(ends_as_file) {
            return refused(
                "labels are written as .csv, .tsv, .json, .jsonl, .parquet or .arrow, or into a directory: \
                 name the file of --out so, or end the name of a directory in /",
            );
        }
        if self.append && self.table_format().is_none() {
            return refused(
                "--append is for a table of labels: name a .csv, .tsv, .json, .jsonl, .parquet or \
                 .arrow by --out",
            );
        }
        if self.model.is_some() && self.embed.is_some() {
            return refused(
                "--model keeps no network: write the samples by finch embed, and cluster those",
            );
        }
        if self.embed.is_some() && self.reading.is_of_columns() {
            return refused(
                "--embed reads the columns as those of the run were read: leave out the options that say \
                 what is done with columns, such as --auto, --select and --missing",
            );
        }
        let suggests = self.suggest || self.paging.report.is_some();
        if self.reading.changes_values() && !self.given.has_samples(&self.inputs) {
            return refused(
                "--log, --missing and --standardize are about samples, and here are distances or neighbours: \
                 leave them out",
            );
        }
        if self.metric.is_some() && !self.given.has_samples(&self.inputs) {
            return refused(
                "--metric is about samples, and here are distances or neighbours, which have been measured: leave \
                 it out",
            );
        }
        if self.ruling.is_impossible() {
            return refused("--min-size is above --max-size: no cluster is of both sizes");
        }
        if self.noise.is_given() && self.clusters.is_none() && !suggests {
            return refused(
                "noise and --membership are about the clusters of --clusters and --suggest: give one of \
                 them, too",
            );
        }
        if self.noise.is_membership() && self.table_format().is_none() {
            return refused(
                "--membership is a column of a table of labels: name a .csv, .tsv, .json, .jsonl, .parquet or \
                 .arrow by --out",
            );
        }
        if self.paging.report.is_some() && !self.given.has_samples(&self.inputs) {
            return refused(
                "--report shows samples, and distances have none: give samples as INPUT, beside \
                 --known-neighbors if you like",
            );
        }
        Ok(())
    }
}
