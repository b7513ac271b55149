//! The stand-in for `finch train`, `finch embed`, `finch export` and `finch cluster --embed` in a build without
//! the feature `train`: the way to get them.

use std::io::{self, Write};
use std::process;

/// Exit code of wrong usage.
const EXIT_CODE: i32 = 2;

macro_rules! how {
    () => {
        "this finch was built without training; to install it with training:\n  \
         cargo install --path finch-deep --features train"
    };
}

/// Says how to get a build with training, and ends the process.
fn refuse() -> ! {
    // Where standard error is closed, the exit code still tells.
    let _ = writeln!(io::stderr(), concat!("finch: ", how!()));
    process::exit(EXIT_CODE)
}

/// A command that this build does without.
macro_rules! without {
    ($command:ident, $about:literal) => {
        pub(crate) mod $command {
            use std::error::Error;
            use std::ffi::OsString;

            #[doc = $about]
            #[derive(clap::Args)]
            #[command(after_help = how!())]
            pub(crate) struct Args {
                #[arg(hide = true, trailing_var_arg = true, allow_hyphen_values = true)]
                _any: Vec<OsString>,
            }

            pub(crate) fn run(_: &Args) -> Result<(), Box<dyn Error>> {
                $crate::commands::untrained::refuse()
            }
        }
    };
}

without!(
    train,
    "Train an embedding of samples on clusters of them, without labels (not in this build)"
);
without!(export, "Write the network of a run as an ONNX model (not in this build)");

pub(crate) mod embed {
    use std::convert::Infallible;
    use std::error::Error;
    use std::ffi::OsString;
    use std::path::{Path, PathBuf};

    use finch_core::Metric;
    use finch_deep::data::{Input, Recipe};
    use ndarray::Array2;

    use crate::process::progress::Watch;

    /// Embed samples by the network of a run (not in this build)
    #[derive(clap::Args)]
    #[command(after_help = how!())]
    pub(crate) struct Args {
        #[arg(hide = true, trailing_var_arg = true, allow_hyphen_values = true)]
        _any: Vec<OsString>,
    }

    pub(crate) fn run(_: &Args) -> Result<(), Box<dyn Error>> {
        super::refuse()
    }

    /// The parts that a run leaves: never had, since nothing reads one.
    pub(crate) enum Trained {}

    impl Trained {
        pub(crate) fn recipe(&self) -> &Recipe {
            match *self {}
        }
    }

    /// For `finch cluster --embed`, before anything is read.
    pub(crate) fn trained(_: &Path) -> Result<Trained, Infallible> {
        super::refuse()
    }

    /// Never called, since nothing is trained.
    pub(crate) fn embedding(
        trained: &Trained,
        _: &[PathBuf],
        _: &Input,
        _: &mut Watch<'_>,
    ) -> Result<(Array2<f32>, Metric), Infallible> {
        match *trained {}
    }
}
