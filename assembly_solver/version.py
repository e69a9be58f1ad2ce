"""The version of this program, for its reports."""

VERSION = "0.1.0"
