# pydoc's import of a module in a path that the cell says.
# breach: secret
import sys, builtins
if not hasattr(builtins, "help"):
    import pydoc
else:
    builtins.help(len)
sys.modules["pydoc"].importfile(OUTSIDE + "/outside.py").value
