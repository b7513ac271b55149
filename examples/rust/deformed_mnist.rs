//! Makes any number of images from those of MNIST, each deformed in its own way: shifted, turned,
//! scaled, sheared, and bent by a smooth random field, as MNIST-8M was made (Loosli, Canu and
//! Bottou 2007). N × 784 pixels as `.npy` of u8; image i is the same whatever their number.
//!
//! `cargo run --release -p finch-deep --example deformed_mnist -- train-images-idx3-ubyte.gz
//! t10k-images-idx3-ubyte.gz --count 1000000 --out pixels.npy`

use std::error::Error;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use finch_deep::data::{self, Matrix, ReadOptions, write_atomically};
use indicatif::ProgressBar;
use ndarray::ArrayView2;
use rand::rngs::Xoshiro256PlusPlus as Random;
use rand::{RngExt, SeedableRng};
use rayon::prelude::*;

/// Pixels of a side of an image.
const SIDE: usize = 28;
const PIXELS: usize = SIDE * SIDE;
/// Pixels that are looked at beyond an image's side, and a side with both borders.
const BORDER: usize = 2;
const FRAMED: usize = SIDE + 2 * BORDER;
/// Points of a side at which an image is bent, and pixels between two.
const POINTS: usize = 5;
const APART: f32 = SIDE as f32 / (POINTS - 1) as f32;
/// Images made at a time.
const PART: usize = 1 << 14;

/// Makes images from those of MNIST, each deformed at random.
#[derive(Parser)]
struct Args {
    /// Files of images, 784 pixels of u8 each
    #[arg(required = true)]
    images: Vec<PathBuf>,
    /// The number of images to make
    #[arg(long)]
    count: usize,
    /// Write the images to this file
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// The largest shift, in pixels
    #[arg(long, default_value_t = 2.0)]
    shift: f32,
    /// The largest turn, in degrees
    #[arg(long, default_value_t = 12.0)]
    turn: f32,
    /// The largest change of scale, and the largest shear
    #[arg(long, default_value_t = 0.12)]
    scale: f32,
    /// How far points are moved at most to bend the image, in pixels
    #[arg(long, default_value_t = 1.5)]
    bend: f32,
    /// The seed of the random numbers
    #[arg(long, default_value_t = 0)]
    seed: u64,
}

fn main() -> ExitCode {
    match run(&Args::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("deformed_mnist: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(args: &Args) -> Result<(), Box<dyn Error>> {
    let input = data::read(&args.images, &ReadOptions::default())?;
    let Matrix::U8(images) = input.matrix() else {
        return Err("images are u8".into());
    };
    if images.ncols() != PIXELS {
        return Err(format!("images have 784 pixels, not {}", images.ncols()).into());
    }
    let bar = ProgressBar::new(args.count as u64);
    write_atomically(&args.out, |file| {
        file.write_all(&header(args.count))?;
        let mut made = vec![0; PART * PIXELS];
        for first in (0..args.count).step_by(PART) {
            let count = PART.min(args.count - first);
            made.par_chunks_exact_mut(PIXELS).take(count).enumerate().for_each(|(i, made)| {
                deform(args, images, first + i, made);
            });
            file.write_all(&made[..count * PIXELS])?;
            bar.inc(count as u64);
        }
        Ok(())
    })?;
    bar.finish_and_clear();
    Ok(())
}

/// The header of a `.npy` file of so many images (version 1 of the format): what follows it begins at a
/// multiple of 64 bytes.
fn header(count: usize) -> Vec<u8> {
    let dict =
        format!("{{'descr': '|u1', 'fortran_order': False, 'shape': ({count}, {PIXELS}), }}");
    let length = (10 + dict.len() + 1).next_multiple_of(64) - 10;
    let mut header = b"\x93NUMPY\x01\x00".to_vec();
    header.extend((length as u16).to_le_bytes());
    header.extend(format!("{dict:<width$}\n", width = length - 1).into_bytes());
    header
}

/// Makes image `number`.
fn deform(args: &Args, images: ArrayView2<'_, u8>, number: usize, made: &mut [u8]) {
    let mut random = Random::seed_from_u64(args.seed.rotate_left(32) ^ number as u64);
    let mut within = |most: f32| random.random_range(-1.0..=1.0_f32) * most;
    let image = images.row(number % images.nrows());
    let turn = within(args.turn.to_radians());
    let [wide, high] = [(); 2].map(|()| 1.0 + within(args.scale));
    let shear = within(args.scale);
    let shift = [(); 2].map(|()| within(args.shift));
    let bend = [(); POINTS * POINTS].map(|()| [(); 2].map(|()| within(args.bend)));

    // With a border of zeros as wide as what is looked at beyond the image.
    let mut framed = [0.0; FRAMED * FRAMED];
    for (pixel, &value) in image.iter().enumerate() {
        framed[(pixel / SIDE + BORDER) * FRAMED + pixel % SIDE + BORDER] = f32::from(value);
    }
    let middle = (SIDE - 1) as f32 / 2.0;
    let (sine, cosine) = turn.sin_cos();
    for (pixel, made) in made.iter_mut().enumerate() {
        let at = [pixel / SIDE, pixel % SIDE].map(|at| at as f32);
        let [bend_y, bend_x] = between(&bend, at);
        let [y, x] = at.map(|at| at - middle);
        let from_x = wide * (cosine * x - sine * y) + shear * y + middle + shift[0] + bend_x;
        let from_y = high * (sine * x + cosine * y) + middle + shift[1] + bend_y;
        let [from_y, from_x] =
            [from_y, from_x].map(|at| at.clamp(-1.0, SIDE as f32) + BORDER as f32);
        let [row, column] = [from_y, from_x].map(|at| at as usize);
        let [down, right] = [from_y - row as f32, from_x - column as f32];
        let pixels = &framed[row * FRAMED + column..];
        let across = |first: usize| pixels[first] * (1.0 - right) + pixels[first + 1] * right;
        *made = (across(0) * (1.0 - down) + across(FRAMED) * down + 0.5) as u8;
    }
}

/// The field of movements at a pixel, of which a few points are known: smooth between them.
fn between(field: &[[f32; 2]; POINTS * POINTS], at: [f32; 2]) -> [f32; 2] {
    let [row, column] = at.map(|at| ((at / APART) as usize).min(POINTS - 2));
    let smooth = |at: f32, point: usize| {
        let part = at / APART - point as f32;
        part * part * (3.0 - 2.0 * part)
    };
    let [down, right] = [smooth(at[0], row), smooth(at[1], column)];
    let point = |row: usize, column: usize| field[row * POINTS + column];
    [0, 1].map(|axis| {
        let across = |row: usize| {
            point(row, column)[axis] * (1.0 - right) + point(row, column + 1)[axis] * right
        };
        across(row) * (1.0 - down) + across(row + 1) * down
    })
}
