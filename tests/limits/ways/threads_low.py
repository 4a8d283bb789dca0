# Threads by the module below threading.
# limit: tasks
# forms: local worker full bash
# options: --threads 4
import _thread, time
for name in ('start_new_thread', 'start_new', 'start_joinable_thread'):
    for i in range(60):
        try:
            getattr(_thread, name)(time.sleep, (1,))
        except Exception:
            break
