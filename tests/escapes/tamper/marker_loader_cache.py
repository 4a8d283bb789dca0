# An import writes its bytecode to a prefix outside.
# breach: marker
import os, sys
sys.dont_write_bytecode, sys.pycache_prefix = False, os.path.dirname(MARKER_FILE)
with open("mine.py", "w") as file:
    _ = file.write("x = 1")
import json
type(json.__loader__)("mine", os.path.realpath("mine.py")).load_module().x
