# _thread.interrupt_main sets off the main interpreter's handler.
# breach: setting
import sys, time
sys.modules["_thread"].interrupt_main(10)
time.sleep(0.01)
