"""What is measured of an assembly, and what its dimensions may be off."""
