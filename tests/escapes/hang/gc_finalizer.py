# __del__ of an object in a cycle loops when the collector finds it.
# expect: rung 1
# when: finalizer
class Endless:
    def __init__(self):
        self.me = self
    def __del__(self):
        while True:
            try:
                while True:
                    pass
            except BaseException:
                pass
while True:
    Endless()
