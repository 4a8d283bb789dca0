# _thread.interrupt_main interrupts the host's main interpreter, not the session.
# expect: denied or error or ok
import sys
sys.modules["_thread"].interrupt_main()
