# Waits at a barrier for a second thread that never comes.
# expect: rung 1
# expect short: rung 4
# state short: any
import queue
queue.threading.Barrier(2).wait()
