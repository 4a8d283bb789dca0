# doctest takes a module by its name.
# breach: marker
# state: kept
import sys
sys.audit = lambda *arguments: None
import doctest
doctest._normalize_module("subprocess").call(["sh", "-c", f"echo > {MARKER_FILE}"])
