# A descriptor whose __set_name__ loops: 3.11 wraps what it raises in a RuntimeError.
# expect: rung 1
# when: class creation
class Endless:
    def __set_name__(self, owner, name):
        while True:
            pass

class Owner:
    attribute = Endless()
