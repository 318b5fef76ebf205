"""Whether a release is what it says: its files checked, its tables rebuilt, each cell compared."""
