"""The answers, in the user's names, millimetres and degrees."""
