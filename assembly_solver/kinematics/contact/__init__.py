"""Contact of parts with geometry: distances, and where parts first touch in a motion."""
