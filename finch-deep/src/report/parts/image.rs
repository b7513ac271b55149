//! Samples that are images, as pictures in the page.

use std::borrow::Cow;
use std::fmt::{self, Display};
use std::str::FromStr;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use png::{BitDepth, ColorType, Encoder};
use serde::{Deserialize, Serialize};

/// Pixels of the longest side of a picture in a page: it is shown no larger.
const LONGEST: usize = 64;

/// The shape by which a sample's features are the values of an image: row by row, the channels of a
/// pixel together. Written `28x28`, height first, or `32x32x3` with colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Image {
    /// Rows of pixels.
    pub height: usize,
    /// Pixels of a row.
    pub width: usize,
    /// 1, grey, or 3, red, green and blue.
    pub channels: usize,
}

impl Image {
    /// The number of values, or the largest number there is.
    pub fn values(&self) -> usize {
        self.height.saturating_mul(self.width).saturating_mul(self.channels)
    }

    /// The image with sides of at most [`LONGEST`] pixels, and its values: the means of squares of pixels.
    fn shrunk<'a>(&self, values: &'a [f64]) -> (Self, Cow<'a, [f64]>) {
        let by = self.height.max(self.width).div_ceil(LONGEST);
        if by <= 1 {
            return (*self, Cow::Borrowed(values));
        }
        let Self { height, width, channels } = *self;
        let small = Self { height: height.div_ceil(by), width: width.div_ceil(by), channels };
        let mut means = Vec::with_capacity(small.values());
        for y in 0..small.height {
            for x in 0..small.width {
                let rows = || y * by..((y + 1) * by).min(height);
                let columns = || x * by..((x + 1) * by).min(width);
                let number = (rows().len() * columns().len()) as f64;
                for channel in 0..channels {
                    let at = |(y, x)| values[(y * width + x) * channels + channel];
                    let pixels = rows().flat_map(|y| columns().map(move |x| (y, x)));
                    means.push(pixels.map(at).sum::<f64>() / number);
                }
            }
        }
        (small, Cow::Owned(means))
    }

    /// A data URI of a PNG. `low` is drawn black and `high` white. Large images are made smaller.
    ///
    /// # Errors
    /// The error of the encoder for images that PNG has not, such as those of more than 2³¹ pixels a row.
    pub(in crate::report) fn uri(
        &self,
        values: &[f64],
        [low, high]: [f64; 2],
    ) -> Result<String, png::EncodingError> {
        let (small, values) = self.shrunk(values);
        let shade = |value: &f64| (255.0 * ((value - low) / (high - low))).round() as u8;
        let shades: Vec<u8> = values.iter().map(shade).collect();
        let side = |pixels: usize| u32::try_from(pixels).unwrap_or(u32::MAX);
        let mut file = Vec::new();
        let mut encoder = Encoder::new(&mut file, side(small.width), side(small.height));
        encoder.set_color(if self.channels == 3 { ColorType::Rgb } else { ColorType::Grayscale });
        encoder.set_depth(BitDepth::Eight);
        let mut writer = encoder.write_header()?;
        writer.write_image_data(&shades)?;
        writer.finish()?;
        Ok(format!("data:image/png;base64,{}", STANDARD.encode(file)))
    }
}

impl Display for Image {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}x{}", self.height, self.width)?;
        match self.channels {
            1 => Ok(()),
            channels => write!(f, "x{channels}"),
        }
    }
}

impl FromStr for Image {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let sides: Result<Vec<usize>, _> = text.split('x').map(str::parse).collect();
        match sides.as_deref() {
            Ok(&[height, width]) if height > 0 && width > 0 => {
                Ok(Self { height, width, channels: 1 })
            }
            Ok(&[height, width, channels @ (1 | 3)]) if height > 0 && width > 0 => {
                Ok(Self { height, width, channels })
            }
            _ => Err("give height and width, such as 28x28, or 32x32x3 for red, green and blue"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes() {
        let image: Image = "28x20".parse().unwrap();
        assert_eq!((image.height, image.width, image.values()), (28, 20, 560));
        let colours: Image = "4x5x3".parse().unwrap();
        assert_eq!(
            (colours.values(), colours.to_string(), image.to_string()),
            (60, "4x5x3".into(), "28x20".into())
        );
        for text in ["", "28", "0x4", "4x4x2", "a x b", "-1x4", "1x2x3x1", "99999999999999999999x1"]
        {
            assert!(text.parse::<Image>().is_err(), "{text}");
        }
    }

    #[test]
    fn large_images_become_means() {
        let image: Image = "3x130".parse().unwrap();
        let values: Vec<f64> = (0..390).map(f64::from).collect();
        let (small, means) = image.shrunk(&values);
        assert_eq!((small.height, small.width, means.len()), (1, 44, 44));
        // The mean of 0, 1, 2 and of the same in the next two rows; the last square has one column.
        assert_eq!((means[0], means[43]), (131.0, 259.0));
        let colours: Image = "2x65x3".parse().unwrap();
        let (small, means) = colours.shrunk(&values);
        assert_eq!((small.height, small.width, small.channels), (1, 33, 3));
        assert_eq!(means[..3], [99.0, 100.0, 101.0]);
        assert_eq!("28x28".parse::<Image>().unwrap().shrunk(&values).1[..], values);
    }

    #[test]
    fn pictures() {
        let image: Image = "2x3".parse().unwrap();
        let uri = image.uri(&[-1.0, 0.0, 1.0, 1.0, 0.0, -1.0], [-1.0, 1.0]).unwrap();
        let file = STANDARD.decode(uri.strip_prefix("data:image/png;base64,").unwrap()).unwrap();
        let mut reader = png::Decoder::new(std::io::Cursor::new(file)).read_info().unwrap();
        let mut shades = vec![0; reader.output_buffer_size().unwrap()];
        let info = reader.next_frame(&mut shades).unwrap();
        assert_eq!((info.width, info.height), (3, 2));
        assert_eq!(shades[..6], [0, 128, 255, 255, 128, 0]);
    }
}
