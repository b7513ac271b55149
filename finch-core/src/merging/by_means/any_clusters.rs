//! The type of the clusters of samples, whatever the kind of these.

/// Evaluates an expression for samples of any kind, in which `$clusters` names the type of their clusters.
macro_rules! with_clusters {
    ($any:expr, $clusters:ident, $samples:ident => $body:expr) => {
        match $any {
            $crate::samples::Kind::Dense($samples) => match $samples.element().of_means() {
                $crate::samples::element::ElementType::F64 => {
                    type $clusters = $crate::merging::by_means::clusters::Clusters<f64>;
                    $body
                }
                _ => {
                    type $clusters = $crate::merging::by_means::clusters::Clusters<f32>;
                    $body
                }
            },
            $crate::samples::Kind::Sparse($samples) => {
                type $clusters = $crate::merging::by_means::sparse::SparseClusters;
                $body
            }
        }
    };
}
pub(super) use with_clusters;
