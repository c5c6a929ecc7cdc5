"""Measuring: how good a world model is, and later agents; runs, reports."""
