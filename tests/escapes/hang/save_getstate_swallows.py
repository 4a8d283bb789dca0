# __getstate__ that swallows every exception.
# expect: rung 1
# when: save
class Swallows:
    def __getstate__(self):
        while True:
            try:
                while True:
                    pass
            except BaseException:
                pass
swallows = Swallows()
