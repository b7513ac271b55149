//! The help of the commands: few options by `--help`, all by `--help-all`.

use clap::builder::{Resettable, StyledStr};
use clap::{Arg, ArgAction, Command};

/// Options that `--help` shows, by the names of their fields.
const SHOWN: &str = "
    suggest clusters metric linkage partition labelling k
    out force format report image model json verbose quiet threads labels
    exclude select names categorical missing log standardize auto input_format
    label_column exemplars outliers embed resume seeds preset rounds config backend";

/// Headings of other options, and the names of their fields. An option under no heading is one of "Options".
const HEADINGS: [(&str, &str); 5] = [
    ("Exactly K clusters", "from must_link cannot_link min_size max_size"),
    ("Noise", "min_cluster_size small outlier_share outlier_threshold membership"),
    ("Search for neighbours", "neighbors recall time_limit"),
    ("Weights and times", "weights weight_column time times segments"),
    ("Neighbours or distances that you have", "known_neighbors known_distances precomputed"),
];

/// The usage comes after the description of a command, and not before.
const TEMPLATE: &str =
    "{about-with-newline}\n{before-help}{usage-heading} {usage}\n\n{all-args}{after-help}";

/// A command whose `--help` leaves out rare options, and whose `--help-all` shows them.
pub(crate) fn with_help_all(command: Command) -> Command {
    let help = Arg::new("help")
        .short('h')
        .long("help")
        .action(ArgAction::HelpShort)
        .help("Print help")
        .help_heading(Resettable::Reset);
    let command = command.mut_args(placed).disable_help_flag(true);
    if !command.get_arguments().any(Arg::is_hide_short_help_set) {
        return command.arg(help);
    }
    let all = Arg::new("help_all")
        .long("help-all")
        .action(ArgAction::HelpLong)
        .help("Print help on all options")
        .help_heading(Resettable::Reset);
    command.arg(help.help("Print help on the options that most people need")).arg(all)
}

/// A command whose short help has the whole description, too: clap would show its first line alone.
pub(crate) fn described(command: Command) -> Command {
    let text = |about: Option<&StyledStr>| about.map(ToString::to_string).unwrap_or_default();
    let (first, whole) = (text(command.get_about()), text(command.get_long_about()));
    match whole.strip_prefix(&first) {
        Some(rest) => {
            let rest = rest.trim_matches('\n').to_owned();
            command.long_about(Resettable::Reset).before_help(rest).help_template(TEMPLATE)
        }
        None => command,
    }
}

/// An option in its place: in the short help, or under a heading of the long one.
fn placed(option: Arg) -> Arg {
    let is = |names: &str| names.split_whitespace().any(|name| name == option.get_id().as_str());
    if option.is_positional() || is(SHOWN) {
        return option;
    }
    let heading = HEADINGS.iter().find(|(_, names)| is(names));
    let option = option.hide_short_help(true);
    match heading {
        Some((heading, _)) if option.get_help_heading().is_none() => option.help_heading(*heading),
        _ => option,
    }
}
