"""Training of the network that tags references."""
