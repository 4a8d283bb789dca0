# An ABC's __subclasshook__ loops below the C half of abc.
# expect: rung 1
import abc

class Endless(abc.ABC):
    @classmethod
    def __subclasshook__(cls, other):
        while True:
            pass
issubclass(int, Endless)
