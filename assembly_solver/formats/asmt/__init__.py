"""OndselSolver's `.asmt` files: joints, markers, motions and their functions."""
