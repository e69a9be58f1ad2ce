"""What is proved of poses: numbers as balls, tests of existence and of one solution only."""
