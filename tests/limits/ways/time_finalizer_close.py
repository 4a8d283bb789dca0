# One that hangs in C when the session closes.
# limit: wall cpu
class D:
    def __del__(self, deque=__import__("collections").deque, repeat=__import__("itertools").repeat):
        deque(repeat(1), 0)
x = D()
# %% close
# %% cell
1
