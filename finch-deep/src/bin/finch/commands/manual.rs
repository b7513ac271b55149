//! `finch completions` and `finch man`: what shells and readers of manuals want to know.

use std::error::Error;
use std::fs;
use std::io::{self, Write};
use std::path::PathBuf;

use clap::Command;
use clap_complete::Shell;
use clap_mangen::Man;
use finch_deep::data::write_atomically;

/// Print completions of a shell
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  finch completions bash > ~/.local/share/bash-completion/completions/finch
  finch completions zsh > ~/.zfunc/_finch
  finch completions fish > ~/.config/fish/completions/finch.fish")]
pub(crate) struct Completions {
    /// The shell
    shell: Shell,
}

/// Print the manual page, or write those of all commands
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  finch man | man -l -
  finch man --out ~/.local/share/man/man1")]
pub(crate) struct Manual {
    /// Write finch.1, finch-cluster.1, … into this directory
    #[arg(short, long, value_name = "DIR")]
    out: Option<PathBuf>,
}

impl Completions {
    pub(crate) fn run(&self, mut cli: Command) -> Result<(), Box<dyn Error>> {
        let mut text = Vec::new();
        clap_complete::generate(self.shell, &mut cli, "finch", &mut text);
        Ok(io::stdout().write_all(&text)?)
    }
}

impl Manual {
    pub(crate) fn run(&self, mut cli: Command) -> Result<(), Box<dyn Error>> {
        cli.build();
        let page = |command: &Command, name: String| -> io::Result<(String, Vec<u8>)> {
            let mut text = Vec::new();
            Man::new(command.clone()).title(name.to_uppercase()).render(&mut text)?;
            Ok((format!("{name}.1"), text))
        };
        let main = page(&cli, "finch".into())?;
        let Some(directory) = &self.out else {
            return Ok(io::stdout().write_all(&main.1)?);
        };
        let mut pages = vec![main];
        for command in cli.get_subcommands().filter(|command| command.get_name() != "help") {
            pages.push(page(command, format!("finch-{}", command.get_name()))?);
        }
        fs::create_dir_all(directory).map_err(|source| {
            crate::output::directory::Unusable::Unwritable { directory: directory.clone(), source }
        })?;
        for (name, text) in pages {
            let written: Result<(), finch_deep::data::WriteError> =
                write_atomically(&directory.join(name), |file| file.write_all(&text));
            written?;
        }
        Ok(())
    }
}
