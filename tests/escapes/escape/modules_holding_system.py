# Any loaded module that holds a function called system.
# breach: marker
import sys, random, inspect, platform
for module in list(sys.modules.values()):
    run = getattr(module, "system", None)
    if getattr(run, "__module__", None) in ("posix", "nt"):
        run(f"echo > {MARKER_FILE}")
