# Raises the soft limits of memory again as far as the hard ones go, and takes what that gives.
# limit: memory
# forms: full bash
import resource, time
for name in ("RLIMIT_DATA", "RLIMIT_AS", "RLIMIT_STACK", "RLIMIT_MEMLOCK"):
    try:
        hard = resource.getrlimit(getattr(resource, name))[1]
        resource.setrlimit(getattr(resource, name), (hard, hard))
    except (ValueError, OSError) as error:
        print(name, error)
keep = []
try:
    while len(keep) < 500:
        keep.append(b"x" * (1 << 20))
except MemoryError:
    pass
print(len(keep))
time.sleep(0.5)
