"""From a scheme to an ordered program: dyads, groups, cost."""
