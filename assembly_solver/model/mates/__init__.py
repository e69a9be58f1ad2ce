"""The kinds of mates and joints: each says which measures must have which values."""
