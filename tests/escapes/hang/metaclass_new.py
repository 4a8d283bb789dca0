# A metaclass whose __new__ loops and swallows.
# expect: rung 1
# when: class creation
class Meta(type):
    def __new__(cls, *args):
        while True:
            try:
                while True:
                    pass
            except BaseException:
                pass

class Endless(metaclass=Meta):
    pass
