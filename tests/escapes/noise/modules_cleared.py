# Clears sys.modules.
# expect: ok or error
import sys
sys.modules.clear()
