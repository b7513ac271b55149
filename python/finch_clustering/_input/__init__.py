"""Samples as callers have them."""
