# posix.environ, which os copied.
# breach: secret
import os, sys
sys.modules["posix"].environ[SECRET_NAME.encode()]
