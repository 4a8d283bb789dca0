# A metaclass whose mro() never answers: called in the midst of type.__new__.
# expect: rung 1
# when: class creation
class Meta(type):
    def mro(cls):
        while True:
            pass

class Endless(metaclass=Meta):
    pass
