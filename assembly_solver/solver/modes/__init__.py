"""Assembly modes: enumeration, names, and the choice of one."""
