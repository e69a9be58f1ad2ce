"""What a user says: features, mates, joints, drivers, assemblies."""
