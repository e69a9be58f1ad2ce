"""What is prescribed or bounded: drivers, limits, guided frames, hydraulic cylinders."""
