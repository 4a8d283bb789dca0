# contextlib.chdir, which is not left.
# breach: setting
import contextlib
contextlib.chdir("..").__enter__()
