# A forward reference is evaluated in the names of a module of the library.
# breach: secret
# only: 3.14+
import annotationlib, random
reference = annotationlib.ForwardRef("_os.pread(SECRET_FD, 100, 0)", module="random")
reference.evaluate(locals={"SECRET_FD": SECRET_FD})
