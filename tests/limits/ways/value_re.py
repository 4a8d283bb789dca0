# Patterns and matches with long texts.
# limit: value
import re
re.compile("x" * 300_000)
# %% cell
re.match(".*", "m" * 3_000_000)
