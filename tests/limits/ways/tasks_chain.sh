# Processes that start the next and end, as fast as they can: no two looks see the same.
# limit: tasks cpu
for i in {1..40}; do
python3 -c '
import os, time
end = time.time() + 2
while time.time() < end:
    if os.fork():
        os._exit(0)' &
done
sleep 3
