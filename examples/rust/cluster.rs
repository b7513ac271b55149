//! Clusters the rows of a table: a header, then lines of a name and numbers, separated by commas.
//!
//! `cargo run --release -p finch-core --example cluster examples/data/planets.csv`

use std::error::Error;
use std::{env, fs};

use finch_core::{Finch, Samples};
use ndarray::Array2;

fn main() -> Result<(), Box<dyn Error>> {
    let path = env::args().nth(1).unwrap_or_else(|| "examples/data/planets.csv".into());
    let text = fs::read_to_string(&path).map_err(|error| format!("{path}: {error}"))?;
    let mut names = Vec::new();
    let mut values = Vec::new();
    for line in text.lines().skip(1) {
        let mut fields = line.split(',');
        names.push(fields.next().unwrap_or_default());
        for field in fields {
            values.push(field.trim().parse::<f64>()?);
        }
    }
    let columns = values.len() / names.len().max(1);
    let table = Array2::from_shape_vec((names.len(), columns), values)?;

    let hierarchy = Finch::new().fit(&Samples::new(table.view())?)?;

    let partition = hierarchy.finest();
    println!("{} clusters", partition.clusters());
    for cluster in 0..partition.clusters() as u32 {
        let members = names.iter().zip(partition.labels()).filter(|(_, label)| **label == cluster);
        println!("  {}", members.map(|(name, _)| *name).collect::<Vec<_>>().join(", "));
    }
    Ok(())
}
