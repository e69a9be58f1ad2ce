"""The page with the moving assembly."""
