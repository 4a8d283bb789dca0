# Makes files in several threads at once.
# limit: disk_files disk_bytes
# forms: local worker full bash
# options: --threads 8
import threading
def make(k):
    for i in range(300):
        try:
            with open(f"t{k}-{i}", "wb") as f:
                f.write(b"x" * 100_000)
        except OSError:
            pass
threads = [threading.Thread(target=make, args=(k,)) for k in range(8)]
[t.start() for t in threads]
[t.join() for t in threads]
