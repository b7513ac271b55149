"""Names of clusters that last while samples are added, or other samples come."""
