# Raises in a finalizer for ever: each is reported on stderr.
# expect: rung 1
# when: finalizer
class Loud:
    def __del__(self):
        raise ValueError("x" * 1000)
while True:
    Loud()
