# sys.monitoring, a tool that stays.
# breach: setting
# only: 3.13
import sys
sys.monitoring.use_tool_id(3, "escaped")
