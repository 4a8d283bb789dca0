# The value of the cell has a repr that never ends.
# expect: rung 1
# when: repr
class Endless:
    def __repr__(self):
        while True:
            try:
                while True:
                    pass
            except BaseException:
                pass
Endless()
