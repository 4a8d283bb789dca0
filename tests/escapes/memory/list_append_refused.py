# list.append without memory for the list to grow: dropped the item twice.
# expect: ok
import sys
item = [object()]
kept = [item] * 1000
def append(rows, count):
    for _ in range(count):
        rows.append(item)
append([], 100)
before, held, size = sys.getrefcount(item), [], 1 << 26
while size >= 1024:
    try:
        held.append(bytes(size))
    except MemoryError:
        size //= 2
refused = 0
for _ in range(50):
    rows = []
    try:
        append(rows, 100_000)
    except MemoryError:
        refused += 1
    del rows
after = sys.getrefcount(item)
del held
assert refused > 0 and after == before, (refused, before, after)
