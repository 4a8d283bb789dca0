# Starts a thread below threading.
# expect: error or denied
# state: kept
# when: run
import sys
sys.modules["_thread"].start_new_thread(print, ())
