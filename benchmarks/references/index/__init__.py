"""How well and how fast the embedded bibliography looks titles up."""
