# A codec that encodings finds in a folder outside.
# breach: secret
import codecs, encodings, sys
encodings.__path__.append(OUTSIDE)
try:
    codecs.lookup("outside")
except LookupError:
    pass
sys.modules["encodings.outside"].value
