"""Programs over all states at once: positions, branches, rates."""
