# Sets a profile function that raises.
# expect: denied or error or ok
import sys
sys.setprofile(lambda *a: 1 / 0)
len([])
