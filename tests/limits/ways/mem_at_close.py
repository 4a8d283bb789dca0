# Takes memory in a finalizer that runs when the session closes.
# limit: memory
class Taker:
    def __del__(self):
        keep = []
        while True:
            try:
                keep.append(bytearray(b"x" * (1 << 20)))
            except MemoryError:
                keep.append(None)
x = Taker()
x.self = x
# %% close
