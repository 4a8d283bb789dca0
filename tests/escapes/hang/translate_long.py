# str.translate of a long text by a table, again and again from C.
# expect: rung 2
import collections, itertools
text, table = "\u0100\u0200" * 200_000, {0x100: "x", 0x200: None}
collections.deque(map(text.translate, itertools.repeat(table)), maxlen=0)
