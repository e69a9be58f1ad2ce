"""One module for each family of cases, and `mates`, the kinds of mates that they draw."""
