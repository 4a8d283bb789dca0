# warnings.showwarning is replaced by a loop, and C code warns.
# expect: rung 1
import warnings
def show(*args, **kwargs):
    while True:
        pass
warnings.showwarning = show
warnings.simplefilter("always")
warnings.warn("hello")
