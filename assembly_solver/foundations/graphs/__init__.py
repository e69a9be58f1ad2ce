"""Counting on graphs whose nodes are opaque."""
