# faulthandler._sigsegv, a fault on request.
# expect: denied or error
# state: kept
# when: import
import faulthandler
faulthandler._sigsegv()
