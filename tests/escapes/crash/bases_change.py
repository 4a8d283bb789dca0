# A class changes its bases in the midst of an attribute lookup of its instance.
# expect: ok or error or recursion or crash
# state: any
class A:
    pass
class B(A):
    pass
class Meta(type):
    def mro(cls):
        B.__bases__ = (A,)
        return type.mro(cls)
class C(A, metaclass=Meta):
    def __del__(self):
        C.__bases__ = (B,)
for _ in range(1000):
    C()
    try:
        C.__bases__ = (A,)
        A.x = 1
        del A.x
    except TypeError:
        pass
