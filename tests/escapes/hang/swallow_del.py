# __del__ loops and swallows; what it lets through is only reported.
# expect: rung 1
# when: finalizer
class Endless:
    def __del__(self):
        while True:
            try:
                while True:
                    pass
            except:
                pass
thing = Endless()
del thing
