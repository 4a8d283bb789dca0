# Asks for pools of threads with as many workers as they like.
# limit: tasks
# forms: local worker full bash
# options: --threads 4
import concurrent.futures, time
try:
    with concurrent.futures.ThreadPoolExecutor(300) as pool:
        list(pool.map(time.sleep, [0.2] * 300))
except RuntimeError as error:
    print(error)
