"""Benchmarks: families of assemblies with known solutions, the judge, the peers, and the tables."""
