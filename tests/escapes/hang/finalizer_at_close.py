# A finalizer of a name of the session loops when the session is closed.
# expect: rung 1
# state: any
# when: close
class Endless:
    def __del__(self):
        while True:
            pass
thing = Endless()
