# sys.activate_stack_trampoline writes a file into /tmp and changes how code runs.
# breach: setting
# only: 3.13
import sys
sys.activate_stack_trampoline("perf")
