"""Linear algebra and single steps on arrays."""
