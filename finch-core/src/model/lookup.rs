//! A tree of the samples that a model keeps, made once it pays, by which few features are looked up.
//!
//! A tree takes as long to make as a hundred queries without one. So it is made at the second call that asks for
//! it, or at the first for many samples: whoever asks once waits for one query.
//!
//! Nobody waits for another thread that makes the tree, and predicts without one meanwhile: a child that is forked
//! while a thread of its parent makes a tree has no such thread. Where memory is refused to the tree, calls predict
//! without it, too, and the next one tries again.

use std::fmt;
use std::process;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};

use crate::error::Result;
use crate::neighbors::{FEW_QUERIES, KeptTree, NodeLabels};
use crate::run::progress::Meter;
use crate::samples::rows::Rows;
use crate::support::memory::{caught, collected};

/// The fewest samples that are put in a tree: fewer are compared in a few microseconds.
const FEWEST_SAMPLES: usize = 2_048;

/// New samples of a first call, which a tree is made for: more than are compared as few.
const MANY: usize = FEW_QUERIES + 1;

/// The tree of a model, if it has been made.
#[derive(Default)]
pub(super) struct Lookup {
    made: OnceLock<Made>,
    /// The number of new samples that a tree would have served.
    asked: AtomicUsize,
    /// The process of the thread that makes the tree now; 0 if none does.
    maker: AtomicU32,
}

/// A tree, and of each labelling that was asked for the labels of its nodes.
pub(super) struct Made {
    pub(super) tree: KeptTree,
    labels: Vec<OnceLock<NodeLabels>>,
}

impl Made {
    /// The labels of the nodes in a labelling, if they have been asked for before.
    pub(super) fn labels(&self, labelling: usize) -> Option<&NodeLabels> {
        self.labels[labelling].get()
    }

    /// The labels of the nodes in a labelling. Without memory for them there are none.
    pub(super) fn make_labels(&self, labelling: usize, labels: &[u32]) -> Option<&NodeLabels> {
        let of_labelling = &self.labels[labelling];
        if of_labelling.get().is_none() {
            // Outside of the lock, which a child that is forked meanwhile would find locked for ever.
            let made = caught(|| Ok(self.tree.labels(labels))).ok()?;
            let _ = of_labelling.set(made);
        }
        of_labelling.get()
    }
}

impl Lookup {
    /// True for samples that a tree serves.
    pub(super) fn serves(rows: &Rows<'_>) -> bool {
        rows.len() >= FEWEST_SAMPLES && KeptTree::serves(rows)
    }

    /// The tree, if it has been made.
    pub(super) fn made(&self) -> Option<&Made> {
        self.made.get()
    }

    /// True if a call for so many new samples is one to make the tree for.
    pub(super) fn is_due(&self, queries: usize) -> bool {
        queries >= MANY || self.asked.fetch_add(queries, Ordering::Relaxed) > 0
    }

    /// The tree of these samples, in a model of so many labellings. `None` while another thread makes it, where the
    /// run is stopped, and where memory for it is refused.
    pub(super) fn make(&self, rows: &Rows<'_>, labellings: usize, meter: &Meter) -> Option<&Made> {
        if self.made.get().is_none() {
            let _made = Claim::of(&self.maker)?;
            if self.made.get().is_none() {
                let made: Result<Option<Made>> = caught(|| {
                    let tree = KeptTree::of(rows, meter);
                    let labels = collected((0..labellings).map(|_| OnceLock::new()));
                    Ok(tree.map(|tree| Made { tree, labels }))
                });
                let _ = self.made.set(made.ok()??);
            }
        }
        self.made.get()
    }
}

/// The right of one thread to make the tree.
struct Claim<'a>(&'a AtomicU32);

impl<'a> Claim<'a> {
    fn of(maker: &'a AtomicU32) -> Option<Self> {
        let own = process::id();
        let former = maker.load(Ordering::Relaxed);
        // A thread of the process that this one is a copy of does not make anything here.
        let claim = || maker.compare_exchange(former, own, Ordering::Acquire, Ordering::Relaxed);
        (former != own && claim().is_ok()).then(|| Self(maker))
    }
}

impl Drop for Claim<'_> {
    fn drop(&mut self) {
        self.0.store(0, Ordering::Release);
    }
}

impl fmt::Debug for Lookup {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Lookup").field("is_made", &self.made.get().is_some()).finish()
    }
}

/// A tree says nothing that the samples do not say.
impl PartialEq for Lookup {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}
