# Many cells below the limit each: the limit is one cell's.
# limit: cpu
# forms: local worker full bash
# rounds: 5
import time
end = time.process_time() + 0.3
while time.process_time() < end:
    pass
