# Feeds expat a token in pieces, which it reads again from its start each time.
# limit: wall cpu
# forms: local worker full bash
import xml.parsers.expat
p = xml.parsers.expat.ParserCreate()
p.Parse(b"<a><!--")
while True:
    p.Parse(b"x" * 1000)
