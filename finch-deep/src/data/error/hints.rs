//! Hints for people: a line for each note, and one for many notes that are alike but for the column.

use super::column_at::ColumnAt;
use super::note::Note;

/// Notes that are alike, up to which each has a line of its own.
const APART: usize = 3;
/// Columns that one line names.
const NAMED: usize = 6;
/// Columns that an option in a line lists: more would not fit a command.
const LISTED: usize = 60;

/// The lines that tell people of notes.
pub fn hints(notes: &[Note]) -> Vec<String> {
    let mut groups: Vec<Vec<&Note>> = Vec::new();
    for note in notes {
        match groups.iter_mut().find(|group| alike(group[0], note)) {
            Some(group) => group.push(note),
            None => groups.push(vec![note]),
        }
    }
    let lines = |group: Vec<&Note>| match group.len() > APART {
        true => vec![together(&group)],
        false => group.iter().map(ToString::to_string).collect(),
    };
    groups.into_iter().flat_map(lines).collect()
}

/// True if two notes say the same of two columns.
fn alike(one: &Note, other: &Note) -> bool {
    match (one, other) {
        (Note::NoValues(_), Note::NoValues(_))
        | (Note::UnknownWords { .. }, Note::UnknownWords { .. }) => true,
        (Note::Id(_, why), Note::Id(_, other)) => why == other,
        (Note::Sentinel(_, word), Note::Sentinel(_, other)) => word == other,
        (Note::Written { ambiguous, .. }, Note::Written { ambiguous: other, .. }) => {
            ambiguous == other
        }
        _ => false,
    }
}

/// One line for notes that are alike.
fn together(notes: &[&Note]) -> String {
    let columns: Vec<&ColumnAt> = notes.iter().filter_map(|note| note.column()).collect();
    let all = columns.len();
    let named = named(notes);
    match notes[0] {
        Note::NoValues(_) => {
            format!("each of {all} columns has no value in it, and is left out: {named}")
        }
        Note::Id(_, why) => format!(
            "each of {all} columns looks like an id, since {why}: {named}: {} leaves them out",
            exclude(&columns)
        ),
        Note::Sentinel(_, word) => format!(
            "each of {all} columns has {word}, unlike all other values: {named}: --missing-word={word} \
             takes it as missing"
        ),
        Note::UnknownWords { .. } => format!(
            "each of {all} columns has words that the model does not know: {named}; such samples are of \
             none of its categories"
        ),
        Note::Written { ambiguous, .. } => {
            let other = if *ambiguous { ", and each may be meant otherwise" } else { "" };
            format!("{all} columns are read as numbers{other}: {named}")
        }
        other => other.to_string(),
    }
}

/// The first columns of notes, each with its word where it has one, and the number of the others.
fn named(notes: &[&Note]) -> String {
    let name = |note: &&Note| {
        let column = note.column().map_or_else(String::new, ColumnAt::title);
        match note {
            Note::Written { word, value, .. } => format!("{column} ({word:?} as {value})"),
            Note::UnknownWords { word, .. } => format!("{column} ({word:?})"),
            _ => column,
        }
    };
    let named: Vec<String> = notes.iter().take(NAMED).map(name).collect();
    let more = notes.len().saturating_sub(NAMED);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    named.join(", ") + &more
}

/// The option that leaves columns out.
fn exclude(columns: &[&ColumnAt]) -> String {
    // A name with a comma would be taken for two.
    let argument = |column: &&ColumnAt| match &column.name {
        Some(name) if name.contains(',') => column.position.to_string(),
        _ => column.argument(),
    };
    match columns.len() <= LISTED {
        true => {
            let arguments: Vec<String> = columns.iter().map(argument).collect();
            format!("--exclude {}", arguments.join(","))
        }
        false => "--exclude, with their names or numbers,".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(position: usize) -> ColumnAt {
        ColumnAt { position, name: Some(format!("c{position}")) }
    }

    #[test]
    fn many_notes_that_are_alike_are_one_line_and_few_are_lines_of_their_own() {
        let ids = |count| (0..count).map(|position| Note::Id(at(position), "it rises"));
        let few: Vec<Note> = ids(APART).chain([Note::NoEnd]).collect();
        assert_eq!(hints(&few), few.iter().map(ToString::to_string).collect::<Vec<_>>());
        let many: Vec<Note> = [Note::NoEnd].into_iter().chain(ids(8)).collect();
        let lines = hints(&many);
        assert_eq!((lines.len(), &lines[0]), (2, &Note::NoEnd.to_string()));
        assert_eq!(
            lines[1],
            "each of 8 columns looks like an id, since it rises: c0, c1, c2, c3, c4, c5 and 2 more: \
             --exclude c0,c1,c2,c3,c4,c5,c6,c7 leaves them out"
        );
        // Another reason is another line.
        let other = Note::Id(at(9), "it falls");
        assert_eq!(hints(&[many, vec![other]].concat()).len(), 3);
        assert!(hints(&ids(LISTED + 1).collect::<Vec<_>>())[0].contains("--exclude, with"));
    }

    #[test]
    fn a_line_of_words_says_each_word() {
        let written = |position| Note::Written {
            column: at(position),
            word: "1,5".into(),
            value: "1.5".into(),
            ambiguous: true,
        };
        let [line] = &hints(&(0..4).map(written).collect::<Vec<_>>())[..] else {
            panic!("one line")
        };
        assert!(line.starts_with("4 columns are read as numbers, and each may be meant otherwise: c0 (\"1,5\" as 1.5)"), "{line}");
    }
}
