"""The long tests, whole: what the suite runs a sample of."""
