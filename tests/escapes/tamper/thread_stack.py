# _thread.stack_size.
# breach: setting
# state: kept
import sys
sys.modules["_thread"].stack_size(1 << 20)
