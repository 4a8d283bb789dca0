# __setstate__ that never ends: at the restore.
# expect: rung 1
# when: save
class Endless:
    def __getstate__(self):
        return 1
    def __setstate__(self, state):
        while True:
            pass
endless = Endless()
