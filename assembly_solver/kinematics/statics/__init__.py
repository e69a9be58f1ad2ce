"""Statics: applied loads, equilibrium, inverse dynamics."""
