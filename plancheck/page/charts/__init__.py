"""Altair charts of the report: a data frame in, a chart as wide as its container out.

Colours of text, axes, grid and unencoded marks are left to the page, which knows whether the reader's scheme is light
or dark. No chart has a parameter or a selection, for Altair numbers those by a counter of the process.
"""
