# Clears sys.modules.
# expect: ok or error
# state: kept
# when: run
import sys
sys.modules.clear()
