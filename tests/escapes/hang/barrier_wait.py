# Waits at a barrier for a second thread that never comes.
# expect: rung 1
# state: kept
# when: run
import queue
queue.threading.Barrier(2).wait()
