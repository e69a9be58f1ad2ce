"""Drag steps: the nearest pose at which all mates hold."""
