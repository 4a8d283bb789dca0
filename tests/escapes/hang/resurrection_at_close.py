# Each finalizer leaves two more objects with a finalizer behind, and loops.
# expect: rung 1
# state: any
# when: close
kept = []
class Phoenix:
    def __del__(self, kept=kept):
        kept[:] = [type(self)(), type(self)()]
        while True:
            pass
phoenix = Phoenix()
