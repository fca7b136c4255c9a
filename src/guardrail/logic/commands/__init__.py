"""What this method adds to the command line."""
