"""One step of a drag: the nearest pose at which all mates hold."""
