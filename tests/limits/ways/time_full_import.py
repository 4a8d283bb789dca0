# Imports that take for ever, of a module in the work directory.
# limit: wall cpu
# forms: local worker full bash
with open("slow_module.py", "w") as f:
    f.write("while True:\n    try:\n        while True: pass\n    except BaseException: pass\n")
import sys
sys.path.insert(0, "")
import slow_module
