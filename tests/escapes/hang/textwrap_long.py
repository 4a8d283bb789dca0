# Wraps a text of a million one-letter words to one column.
# expect: rung 1
import textwrap
text = "a-b " * 3_000_000
textwrap.wrap(text, 1)
