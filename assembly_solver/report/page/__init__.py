"""The pages of a check: text, curves and drawings as HTML and SVG."""
