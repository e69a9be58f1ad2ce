"""The version: of the package, of the add-on for FreeCAD, and in reports."""

VERSION = "0.1.0"
