# __getstate__ that never ends.
# expect: rung 1
# when: save
class Endless:
    def __getstate__(self):
        while True:
            pass
endless = Endless()
