# __setstate__ that recurses without end, at the restore.
# expect: recursion or ok
# when: save
class Again:
    def __getstate__(self):
        return 1
    def __setstate__(self, state):
        self.__setstate__(state)
again = Again()
