# Starts a thread below threading.
# expect: error or denied
import sys
sys.modules["_thread"].start_new_thread(print, ())
