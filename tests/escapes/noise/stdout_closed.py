# Closes and detaches the streams, then prints.
# expect: ok or error
import sys
for stream in (sys.stdout, sys.stderr, sys.stdin):
    for name in ("close", "detach"):
        try:
            getattr(stream, name)()
        except Exception:
            pass
print("closed")
