# __reduce__ that makes another of its kind, for ever.
# expect: recursion or ok
# when: save
class Again:
    def __reduce__(self):
        return Again, (Again(),)
again = Again()
