"""How an assembly is put together: entries, drawings, groups, patterns, sub-assemblies."""
