# Has expat grow its tables: names, entities and contexts of elements.
# limit: memory
# forms: local worker full bash
import xml.parsers.expat
p = xml.parsers.expat.ParserCreate()
p.Parse("<!DOCTYPE a [")
while True:
    i = id(p)
    p.Parse("".join(f"<!ENTITY e{n}x{i} '{'v' * 900}'>" for n in range(1000)))
    i += 1
