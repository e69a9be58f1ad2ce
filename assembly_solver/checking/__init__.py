"""The linkage check: sweeps of all drivers, compared with the checks of the assembly."""
