# A finalizer loops when the session is reset.
# expect: rung 1
# state: any
# when: reset
class Endless:
    def __del__(self):
        while True:
            try:
                while True:
                    pass
            except BaseException:
                pass
thing = Endless()
