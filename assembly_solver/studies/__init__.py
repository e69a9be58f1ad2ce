"""Studies of an assembly: what its dimensions do to what is measured of it."""
