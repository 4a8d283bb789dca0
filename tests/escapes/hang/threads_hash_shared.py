# Hashes of a nested tuple that shares its parts, on threads while the cell sleeps.
# expect: rung 3 the hash of tuples: tuplehash
# expect short 3.11: hang
# expect short 3.13: rung 4
# state: lost
# threads: 2
import threading, time
t = ()
for _ in range(100):
    t = (t, t)
for _ in range(2):
    threading.Thread(target=hash, args=(t,)).start()
time.sleep(1e6)
