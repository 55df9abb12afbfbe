"""How much of everyday work the shell reducer reads: run by maintainers, and by a test that keeps its page true."""
