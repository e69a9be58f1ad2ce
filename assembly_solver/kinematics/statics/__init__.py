"""Forces: applied loads, equilibrium, inverse dynamics."""
