"""What trainers take from a world: data in the formats that they read."""
