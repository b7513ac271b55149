//! The words of the field that a page uses, explained at its end.

use maud::{Markup, html};

/// A word of the field: its id, and a sentence that explains it.
type Term = (&'static str, &'static str, &'static str);

/// The words, in alphabetical order.
const TERMS: [Term; 18] = [
    (
        "accuracy",
        "Accuracy (ACC)",
        "The share of samples whose cluster is the one matched with their class, under the one-to-one \
         matching of clusters and classes that shares most samples.",
    ),
    ("agreement", "Agreement", "NMI of two clusterings: 100 % where they are the same."),
    (
        "ari",
        "ARI",
        "Adjusted Rand index: the share of pairs of samples that clusters and classes treat alike, beyond \
         chance. 100 % where they are the same, and about 0 for random clusters.",
    ),
    (
        "exemplar",
        "Exemplars",
        "Samples that together cover their cluster: each is far from those named before it.",
    ),
    (
        "recovery",
        "Found again",
        "The share of a cluster to expect of the one found in its place among other samples of the same \
         kind (Jaccard index): clusters near 100 % are no accident of these samples.",
    ),
    (
        "medoid",
        "Medoid",
        "The sample with the least distance to all of its cluster: its most typical one.",
    ),
    (
        "modularity",
        "Modularity",
        "The share of links between nearest neighbours that stay within a cluster, beyond the share that \
         chance gives: from −0.5 to 1, and higher is better.",
    ),
    (
        "nmi",
        "NMI",
        "Normalised mutual information: how much clusters tell of classes, from 0 to 100 %. Normalised by \
         the geometric mean.",
    ),
    (
        "outlier",
        "Outlier score",
        "From 0 to 1. At 0.5 a sample's neighbours are twice as far as those of the samples at the hearts \
         of the clusters around it.",
    ),
    (
        "partition",
        "Partition",
        "A division of all samples into clusters. FINCH links each sample to its first neighbour: linked \
         samples are a cluster, and that is partition 0. It links the means of clusters in the same way, \
         partition after partition, until nothing is left to link.",
    ),
    (
        "components",
        "Principal components",
        "The directions in which samples differ most. Distances on such a map are true, but for what the \
         other directions hide.",
    ),
    (
        "pseudo-labels",
        "Pseudo-labels",
        "Clusters that FINCH found, which the network learns to tell apart as if they were classes.",
    ),
    (
        "purity",
        "Purity",
        "The share of samples that are in the largest class of their cluster. It rises with the number of \
         clusters.",
    ),
    (
        "score",
        "Score of a number of clusters",
        "High where the clusters that would merge next are much less similar than those merged before, \
         weighted by how much more linked clusters are within than by chance.",
    ),
    (
        "separation",
        "Separation",
        "From −1 to 1: near 1, samples are much nearer to the mean of their own cluster than to the next; \
         near 0, they are between two.",
    ),
    (
        "spread",
        "Spread",
        "A usual distance of samples from the mean of their cluster, in the units that were clustered.",
    ),
    (
        "deviation",
        "Standard deviation (σ)",
        "A usual distance of a value from the mean. A difference of 1 σ is large; beyond 2 σ two groups \
         hardly overlap.",
    ),
    (
        "tsne",
        "t-SNE",
        "A map on which near neighbours stay near (perplexity: about how many of them count). The sizes of \
         groups and the distances between them mean little, and its axes have no unit.",
    ),
];

/// A word of the page, which leads to its explanation.
pub(in crate::report) fn term(id: &'static str, word: &str) -> Markup {
    debug_assert!(TERMS.iter().any(|&(known, ..)| known == id), "{id}");
    html! { a.term href=(format!("#term-{id}")) { (word) } }
}

/// The explanations of the words that sections lead to; none where they lead to none.
pub(in crate::report) fn section<'a>(
    sections: impl Iterator<Item = &'a Markup> + Clone,
) -> Option<Markup> {
    let used = |&&(id, ..): &&Term| {
        // Texts of users have no quotation marks: they are escaped.
        let link = format!("href=\"#term-{id}\"");
        sections.clone().any(|section| section.0.contains(&link))
    };
    let terms: Vec<&Term> = TERMS.iter().filter(used).collect();
    (!terms.is_empty()).then(|| {
        html! {
            section #words {
                h2 { "Words" }
                dl { @for (id, name, meaning) in terms {
                    div id=(format!("term-{id}")) { dt { (name) } dd { (meaning) } }
                } }
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_are_used_are_explained() {
        let sections = [html! { p { (term("spread", "spread")) } }, html! { p { "#term-medoid" } }];
        let page = section(sections.iter()).unwrap().into_string();
        assert!(page.contains("id=\"term-spread\"") && !page.contains("id=\"term-medoid\""));
        assert!(section([html! {}].iter()).is_none());
    }

    #[test]
    fn terms_are_in_order() {
        assert!(TERMS.is_sorted_by_key(|&(_, name, _)| name.to_lowercase()));
    }
}
