# A callback of sys.monitoring is called in frames of the library.
# breach: secret
# state: kept
# only: 3.14+
import sys
sys.monitoring.use_tool_id(1, "mine")
sys.monitoring.register_callback(1, sys.monitoring.events.PY_START, lambda *args: None)
sys._getframe().f_globals["random"]._os.pread(SECRET_FD, 100, 0)
