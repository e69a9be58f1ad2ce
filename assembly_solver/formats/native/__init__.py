"""The native file format, `.assembly.json`, and its JSON Schema."""
