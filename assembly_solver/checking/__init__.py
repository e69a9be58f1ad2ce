"""The linkage check: what drivers meet on their ways, held against what the assembly asks."""
