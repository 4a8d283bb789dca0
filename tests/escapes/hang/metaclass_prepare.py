# A metaclass whose __prepare__ answers a mapping that loops at each store.
# expect: rung 1
# when: class creation
class Names(dict):
    def __setitem__(self, name, value):
        while True:
            pass

class Meta(type):
    @classmethod
    def __prepare__(cls, *args):
        return Names()

class Endless(metaclass=Meta):
    x = 1
