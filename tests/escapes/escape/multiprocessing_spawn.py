# multiprocessing starts a program by _posixsubprocess, and says nothing.
# breach: marker
import inspect, time
util = inspect.importlib.import_module("multiprocessing.util")
pid = util.spawnv_passfds(b"/bin/sh", ["sh", "-c", f"echo > {MARKER_FILE}"], [])
util.os.waitpid(pid, 0)
