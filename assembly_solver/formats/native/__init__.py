"""The project's own file format, `.assembly.json`, and its JSON Schema."""
