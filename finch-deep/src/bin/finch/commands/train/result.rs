//! The files of the result of a run.

use std::error::Error;
use std::path::Path;

use finch_core::{Labels, LinkBound, Linkage, Model, Samples};
use finch_deep::data::{Input, write_atomically, write_embedding};
use finch_deep::metrics::{Clustering, Source};
use finch_deep::report::{self, Truth};
use finch_deep::run;
use finch_deep::train::{Clustered, TrainError, Trainer};
use finch_deep::with_matrix;
use ndarray::Array2;

use super::session::Session;
use crate::input::model_file::{self, Notes, Refined};
use crate::output::directory::Output;
use crate::output::records::{Labelled, Records, Rows};
use crate::output::summary::{PartitionSummary, Prepared, Report, Requested};
use crate::output::table_format::TableFormat;

impl Session {
    /// Writes the result.
    pub(super) fn finish(
        &self,
        trainer: &Trainer<'_>,
        input: &Input,
        clustered: &Clustered,
        measured: &Clustering,
    ) -> Result<(), Box<dyn Error>> {
        let (directory, config) = (self.run.directory(), trainer.config());
        let Clustered { hierarchy, clusters, embedding, .. } = clustered;
        let embedding = embedding.as_ref().ok_or(TrainError::Untrained)?;
        let mut report = Report::new(hierarchy, input, LinkBound::default());
        report.prepared = Prepared::of(input, &self.recipe);
        let scored = hierarchy.partitions().iter().zip(&measured.partitions);
        report.partitions = scored
            .map(|(one, scored)| PartitionSummary::sized(&one.sizes(), scored.scores))
            .collect();
        report.requested = Some(Requested {
            linkage: clustered.linkage.map_or("consensus", Linkage::name),
            from: clustered.from,
            summary: PartitionSummary::sized(
                &clusters.sizes(),
                measured.requested.as_ref().and_then(|one| one.scores),
            ),
        });
        write_embedding(&directory.join(run::EMBEDDING), embedding.view())?;
        Output::prepare(directory, true, &[])?.write(
            hierarchy,
            [Some(&Labels::from(clusters)), None],
            &report,
        )?;
        self.write_labels(&directory.join(run::LABELS), input, clustered)?;
        self.write_model(&directory.join(run::MODEL), input, clustered, embedding)?;
        let name = directory.file_name().unwrap_or(directory.as_os_str()).to_string_lossy();
        let config_text = toml::to_string(config)?;
        let prepared = self.recipe.preparation();
        let page = finch_deep::report::Report {
            title: &name,
            facts: &self.facts.lines(),
            config: &config_text,
            metrics: &self.metrics,
            embedding: embedding.view(),
            distance: clustered.metric,
            labels: clusters.labels(),
            input: Some(report::Input {
                samples: input.matrix(),
                metric: config.input_metric,
                neighbors: trainer.neighbors(),
                names: input.titles(),
                columns: input.feature_columns(),
                prepared: Some(&prepared),
                image: self.facts.image,
            }),
            truth: self.truth.as_deref().map(|labels| Truth { labels, names: &[] }),
            seed: config.seed,
        };
        write_atomically(&directory.join(run::REPORT), |mut file| page.write(&mut file))?;
        Ok(())
    }

    /// Writes the labels as a table, with the names of the samples.
    fn write_labels(
        &self,
        path: &Path,
        input: &Input,
        clustered: &Clustered,
    ) -> Result<(), Box<dyn Error>> {
        let labels = Labels::from(&clustered.clusters);
        let labelled = Labelled { labels, probabilities: None };
        let further = [("requested", Some(&labelled)), ("suggested", None)];
        let rows = Rows::of(input, false);
        let records = Records::of_labels(rows, clustered.hierarchy.partitions(), further);
        Ok(write_atomically(path, |file| records.write(TableFormat::Csv, file))?)
    }

    /// Writes the model by which later samples find their clusters: of the input, where its clusters are the
    /// result, and else of the embedding, which the run has beside.
    fn write_model(
        &self,
        path: &Path,
        input: &Input,
        clustered: &Clustered,
        embedding: &Array2<f32>,
    ) -> Result<(), Box<dyn Error>> {
        let Clustered { hierarchy, clusters, linkage, from, .. } = clustered;
        let linkage = linkage.map_or("consensus", Linkage::name).into();
        let refined = vec![Refined::Requested { linkage, from: *from }];
        let mut notes = Notes::new(self.recipe.clone(), input.titles(), refined);
        let mut run = finch_core::Run::new().threads(self.threads);
        let hierarchy = hierarchy.clone();
        let model = match clustered.result {
            Some(Source::Input) => with_matrix!(input.matrix(), matrix => {
                let samples = Samples::new(matrix)?;
                Model::new(hierarchy, &samples, vec![clusters.into()], &mut run)?
                    .keep_samples(&samples)?
            }),
            _ => {
                notes.embedded = true;
                let samples = Samples::new(embedding.view())?;
                Model::new(hierarchy, &samples, vec![clusters.into()], &mut run)?
            }
        };
        model_file::save(path, true, model, &notes)
    }
}
