# __init_subclass__ loops in the creation of the subclass.
# expect: rung 1
# when: class creation
class Base:
    def __init_subclass__(cls):
        while True:
            try:
                while True:
                    pass
            except BaseException:
                pass

class Endless(Base):
    pass
