//! The kind of a variable of MATLAB that is no array of numbers, and the way to get its numbers.

use crate::data::error::Fault;

/// Classes of MATLAB, what to call them, and how to save their numbers.
const KNOWN: &[(&[&str], &str, &str)] = &[
    (
        &["string"],
        "a MATLAB string array",
        "save the numbers as a matrix, by double(x) if the texts are numbers",
    ),
    (
        &["table", "timetable"],
        "a MATLAB table",
        "save table2array(x) as a matrix, or write it by writetable(x, 'x.csv')",
    ),
    (&["categorical"], "a MATLAB categorical array", "save double(x), the number of each category"),
    (&["datetime"], "a MATLAB datetime array", "save posixtime(x) as a matrix"),
    (&["duration", "calendarDuration"], "a MATLAB duration array", "save seconds(x) as a matrix"),
    (
        &["function_handle"],
        "a MATLAB function handle",
        "it has no samples: save the matrix that the function computes",
    ),
    (&["containers.Map"], "a MATLAB containers.Map", "save cell2mat(values(x)) as a matrix"),
    (&["gpuArray", "distributed", "tall"], "a MATLAB array that lies elsewhere", "save gather(x)"),
    (&["dlarray"], "a MATLAB dlarray", "save extractdata(x)"),
];

/// The fault of a variable of such a class.
pub(in crate::data) fn object(class: &str) -> Fault {
    let known = KNOWN.iter().find(|(classes, ..)| classes.contains(&class));
    let (found, remedy) = match known {
        Some(&(_, found, remedy)) => (found.to_owned(), remedy),
        None if class.is_empty() => ("a MATLAB object".to_owned(), "save its numbers as a matrix"),
        None => (format!("a MATLAB object of the class {class}"), "save its numbers as a matrix"),
    };
    Fault::Object { found, remedy }
}
