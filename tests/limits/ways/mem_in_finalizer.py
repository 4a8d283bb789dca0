# Takes memory in a finalizer that runs after the cell's own names have been freed.
# limit: memory
# forms: local worker full bash
class Taker:
    def __del__(self):
        global keep
        keep = []
        try:
            while True:
                keep.append(bytearray(b"x" * (1 << 20)))
        except MemoryError:
            pass
x = Taker()
# %% cell
del x
# %% cell
len(keep)
# %% wait 1
