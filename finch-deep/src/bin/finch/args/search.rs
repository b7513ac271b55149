//! The search for neighbours: options shared by the commands.

use std::io::Write;
use std::time::Duration;

use finch_core::{Finch, Metric, Run, Search};

use super::values::{one_of, recall, seconds, threads, whole};
use crate::process::progress::Watch;

/// Up to this many samples are listed for people.
pub(crate) const LISTED: usize = 100;

// Not a doc comment: clap would make that the description of the command.
#[derive(clap::Args)]
pub(crate) struct SearchArgs {
    /// Search that finds the neighbours
    ///
    /// Every search but approximate is exact. auto takes the fastest exact search, or approximate if
    /// that would take more than about twenty seconds on one core, and much longer.
    #[arg(
        long,
        default_value = Search::default().name(),
        value_parser = one_of(Search::ALL, Search::name)
    )]
    neighbors: Search,

    /// Share of the neighbours that approximate search is to find [default: 0.99]
    ///
    /// Of first neighbours, or of all neighbours that are searched where these are more. With 1, auto is
    /// exact.
    #[arg(long, value_name = "SHARE", value_parser = recall)]
    recall: Option<f64>,

    /// Seconds that searching neighbours may take, all levels together
    ///
    /// auto is then exact if that fits, and else approximate. At the deadline the search stops with the
    /// neighbours that it has found; standard error says if these are too few.
    #[arg(long, value_name = "SECONDS", value_parser = seconds, allow_negative_numbers = true)]
    time_limit: Option<Duration>,

    /// Seed of the random numbers of approximate search [default: 0]
    #[arg(
        long,
        value_name = "N",
        value_parser = whole::<u64>,
        allow_negative_numbers = true
    )]
    seed: Option<u64>,

    /// Number of threads; no result depends on it [default: one for each core]
    #[arg(long, value_name = "N", value_parser = threads)]
    pub(crate) threads: Option<usize>,
}

impl SearchArgs {
    /// The request for a clustering by this metric.
    pub(crate) fn finch(&self, metric: Metric) -> Finch {
        let finch = Finch::new()
            .metric(metric)
            .search(self.neighbors)
            .recall(self.wanted_recall())
            .seed(self.seed.unwrap_or(0));
        self.time_limit.map_or(finch, |limit| finch.time_limit(limit))
    }

    /// The run of these threads, which is watched.
    pub(crate) fn run<'w>(&self, watch: &'w mut Watch<'_>) -> Run<'w> {
        Run::new().threads(self.threads.unwrap_or(0)).progress(|progress| watch.see(progress))
    }

    pub(crate) fn wanted_recall(&self) -> f64 {
        self.recall.unwrap_or(Finch::DEFAULT_RECALL)
    }

    /// Names the options that do nothing. It is no error if nobody reads that.
    pub(crate) fn tell_useless(&self, err: &mut dyn Write) {
        let exact = !matches!(self.neighbors, Search::Auto | Search::Approximate);
        let options = [
            ("--recall", self.recall.is_some()),
            ("--seed", self.seed.is_some()),
            ("--time-limit", self.time_limit.is_some()),
        ];
        for (option, _) in options.into_iter().filter(|(_, given)| exact && *given) {
            let search = self.neighbors.name();
            let _ = writeln!(
                err,
                "finch: {option} does nothing with --neighbors {search}, which is exact"
            );
        }
    }
}
