# Takes memory in __dir__ and properties when names are completed and inspected.
# limit: memory
class Taker:
    def __dir__(self):
        self.keep = []
        while True:
            try:
                self.keep.append("x" * (1 << 20))
            except MemoryError:
                return self.keep
    @property
    def __doc__(self):
        return "d" * (200 << 20)
x = Taker()
# %% complete x.
# %% inspect x
# %% send {"session": session, "op": "vars"}
