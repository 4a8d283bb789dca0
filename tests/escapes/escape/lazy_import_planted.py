# The library is given a lazy import in the place of its own, and uses the name.
# breach: secret
# only: 3.15+
import io, traceback
vars(traceback)["_colorize"] = __lazy_import__("subprocess")
try:
    traceback.print_exception(ValueError("it looks for colours"), file=io.StringIO())
except BaseException:
    pass
vars(traceback)["_colorize"].os.pread(SECRET_FD, 100, 0)
