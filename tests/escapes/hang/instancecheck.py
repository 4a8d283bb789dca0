# __instancecheck__ of a metaclass loops in an isinstance.
# expect: rung 1
class Meta(type):
    def __instancecheck__(cls, thing):
        while True:
            pass

class Endless(metaclass=Meta):
    pass
isinstance(1, Endless)
