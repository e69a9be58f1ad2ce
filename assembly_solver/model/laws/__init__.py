"""Functions of time with exact first and second derivatives."""
