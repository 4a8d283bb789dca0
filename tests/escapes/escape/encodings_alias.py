# An alias of encodings names a module that is not a codec.
# breach: secret
import codecs, encodings, sys
encodings.__path__.insert(0, OUTSIDE)
encodings.aliases.aliases["escaping"] = "outside"
try:
    "x".encode("escaping")
except LookupError:
    pass
sys.modules["encodings.outside"].value
