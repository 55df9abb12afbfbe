"""Constitutions outside of a decision: read from files and ledgers, tried on cases, told to people and other tools."""
