# A hook of an abstract class answers wrongly for everybody.
# breach: setting
import collections.abc
collections.abc.Sized.__subclasshook__ = classmethod(lambda cls, other: True)
collections.abc.Sized.register(int)
