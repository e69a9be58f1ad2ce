"""Text, and charts as SVG, for terminals and pages: nothing here knows an assembly."""
