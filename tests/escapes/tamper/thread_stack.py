# _thread.stack_size.
# breach: setting
import sys
sys.modules["_thread"].stack_size(1 << 20)
