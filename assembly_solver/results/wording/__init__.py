"""Words for results, as a colleague would say them: names, mm and degrees, and what to try."""
