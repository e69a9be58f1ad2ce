"""The plan is carried out block by block, with fallbacks where a block does not close."""
