"""Precision as people judge it: samples, sheets, intervals, agreement."""
