# The children of a process, by the sampling profiler's C half.
# breach: setting pid
# only: 3.15+
import _remote_debugging, os
parent = int(open("/proc/self/stat").read().split()[3])
[pid for pid in _remote_debugging.get_child_pids(parent) if _remote_debugging.is_python_process(pid)]
