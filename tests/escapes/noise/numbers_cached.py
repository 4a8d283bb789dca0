# Tries to change what all interpreters share: small integers, empty tuples, None.
# expect: error or denied
import types
for thing in (1, (), None, "", b"", type, int):
    try:
        thing.attribute = 1
    except (AttributeError, TypeError):
        pass
int.__add__ = None
