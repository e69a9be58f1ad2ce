"""Analysis of single loops: transmission angles, Grashof classes, joint names."""
