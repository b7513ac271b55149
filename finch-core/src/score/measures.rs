//! Means of entropies, and pairs of precision and recall.

/// The mean of two entropies that [`Contingency::nmi`](crate::Contingency::nmi) divides by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Average {
    /// √(H(U)·H(V)), of Strehl & Ghosh 2002. The FINCH paper's tables have this mean.
    Geometric,
    /// (H(U) + H(V)) / 2, the default of scikit-learn; NMI with this mean is the V-measure.
    Arithmetic,
}

/// Precision and recall, each in [0, 1].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PrecisionRecall {
    /// Falls where a cluster mixes classes.
    pub precision: f64,
    /// Falls where a class is spread over clusters.
    pub recall: f64,
}

impl PrecisionRecall {
    /// The F-measure 2PR / (P + R), in [0, 1]; 0 where both are 0.
    pub fn f(&self) -> f64 {
        let sum = self.precision + self.recall;
        if sum == 0.0 { 0.0 } else { 2.0 * self.precision * self.recall / sum }
    }
}
