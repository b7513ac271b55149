"""Colours for any number of clusters: equally bright, neighbours far apart in hue."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

GOLDEN = (3 - 5**0.5) / 2
"""Steps of this part of a circle never meet, and always halve the largest gap or so."""

GREY = (0.72, 0.72, 0.72)
"""Of samples in no cluster."""

# From OKLab to linear sRGB: https://bottosson.github.io/posts/oklab (public domain).
LMS = np.array(
    [
        [1.0, 0.3963377774, 0.2158037573],
        [1.0, -0.1055613458, -0.0638541728],
        [1.0, -0.0894841775, -1.2914855480],
    ]
)
RGB = np.array(
    [
        [4.0767416621, -3.3077115913, 0.2309699292],
        [-1.2684380046, 2.6097574011, -0.3413193965],
        [-0.0041960863, -0.7034186147, 1.7076147010],
    ]
)


def colours(
    numbers: NDArray[np.integer], lightness: float | NDArray[np.float64] | None = None
) -> NDArray[np.float64]:
    """A colour for each number, K x 3 in sRGB: the same for the same number in every picture.

    lightness: from 0, black, to 1, white. By default the colours alternate between darker and
        lighter, which tells hues apart that are close.
    """
    numbers = np.asarray(numbers)
    hue = 2 * np.pi * ((0.70 + GOLDEN * numbers) % 1.0)
    if lightness is None:
        lightness = np.where(numbers % 2 == 0, 0.64, 0.74)
    light = np.broadcast_to(np.asarray(lightness, float), hue.shape)
    chroma = 0.135 * np.clip((1 - light) / 0.36, 0.25, 1)
    lab = np.stack([light, chroma * np.cos(hue), chroma * np.sin(hue)], axis=-1)
    linear: NDArray[np.float64] = np.clip((lab @ LMS.T) ** 3 @ RGB.T, 0, 1)
    return np.where(linear <= 0.0031308, 12.92 * linear, 1.055 * linear ** (1 / 2.4) - 0.055)
