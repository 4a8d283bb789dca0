# Executors, one after the other, that are not shut down.
# limit: tasks
# forms: local worker full bash
# options: --threads 4
import concurrent.futures, time
keep = []
for i in range(60):
    try:
        pool = concurrent.futures.ThreadPoolExecutor(2)
        keep.append((pool, pool.submit(time.sleep, 1)))
    except Exception:
        break
