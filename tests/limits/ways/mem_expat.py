# Feeds expat one token without an end, and one element after the other.
# limit: memory
# forms: local worker full bash
import xml.parsers.expat
keep = []
while True:
    p = xml.parsers.expat.ParserCreate()
    p.Parse(b"<a x='")
    for i in range(30):
        p.Parse(b"y" * (1 << 20))
    keep.append(p)
