# faulthandler._sigsegv, a fault on request.
# expect: denied or error
# when: import
import faulthandler
faulthandler._sigsegv()
