"""FreeCAD's documents: assemblies, joints, simulations, and those of Assembly2 and A2plus."""
