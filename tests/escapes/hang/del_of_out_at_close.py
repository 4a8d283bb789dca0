# A finalizer without end of a value that no name has: Out and _ keep it until the close.
# expect: rung 1
# when: close
class A:
    def __del__(self):
        while True:
            pass
A()
