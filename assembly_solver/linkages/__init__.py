"""Planar linkages: points, links, slots and actuators, placed dyad by dyad over all states."""
