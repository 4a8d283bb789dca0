# Asks multiprocessing and subprocess for processes.
# limit: tasks
# forms: local worker full bash
import time
done = 0
try:
    import multiprocessing
    keep = []
    for i in range(200):
        p = multiprocessing.get_context("fork").Process(target=time.sleep, args=(2,))
        p.start()
        keep.append(p)
        done += 1
except Exception as error:
    print(type(error), error)
try:
    import subprocess
    for i in range(200):
        keep.append(subprocess.Popen(["sleep", "2"]))
        done += 1
except Exception as error:
    print(type(error), error)
print(done)
