# A hundred finalizers swallow and loop when the session is closed.
# expect: rung 1
# state: any
# when: close
class Endless:
    def __del__(self):
        while True:
            try:
                while True:
                    pass
            except BaseException:
                pass
things = [Endless() for _ in range(100)]
