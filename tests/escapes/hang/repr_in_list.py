# A repr that never ends, of an element of the value.
# expect: rung 1
# when: repr
class Endless:
    def __repr__(self):
        return repr([self])
class Loop(dict):
    def __repr__(self):
        while True:
            pass
[1, [2, {"x": Loop()}]]
