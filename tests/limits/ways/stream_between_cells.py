# A thread that prints when the cell has ended.
# limit: output
# forms: local worker full bash
# options: --threads 2 --timeout 1s
# after: 2
import threading, time
def f():
    while True:
        print("b" * 1000)
        time.sleep(0.001)
threading.Thread(target=f, daemon=True).start()
# %% wait 1
# %% cell
print("x")
