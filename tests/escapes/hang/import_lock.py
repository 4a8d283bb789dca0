# The lock of 3.11's importer belongs to the process: kept, every import and every open waits for ever.
# expect: ok or error or denied
import sys
sys.modules["_imp"].acquire_lock()
