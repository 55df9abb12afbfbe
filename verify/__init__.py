"""What an auditor runs: checks on bytes alone, without a database, a network or a clock of their own."""
