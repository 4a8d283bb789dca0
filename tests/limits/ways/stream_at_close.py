# Prints at the end of the session.
# limit: output
class D:
    def __del__(self, print=print):
        for i in range(5000):
            print("c" * 1000)
x = D()
x.me = x
# %% reset
# %% cell
y = 1
# %% close
