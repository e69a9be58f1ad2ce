"""What is known of single loops: transmission angles, Grashof classes, names of joints."""
