# Many threads in each of a few processes.
# limit: tasks
for i in 1 2 3 4 5 6; do
python3 -c '
import threading, time
for i in range(60):
    try:
        threading.Thread(target=time.sleep, args=(2,)).start()
    except RuntimeError:
        break' 2>/dev/null &
done
wait
