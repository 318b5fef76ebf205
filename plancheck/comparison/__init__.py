"""Comparison of two files of per-question results, whatever program wrote them."""
