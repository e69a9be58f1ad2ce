"""Scalars read between two markers: value, wrench and the rates of both."""
