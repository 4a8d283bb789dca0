# contextlib.chdir, which is not left.
# breach: setting
# state: kept
import contextlib
contextlib.chdir("..").__enter__()
