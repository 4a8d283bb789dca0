# posix.environ, which os copied.
# breach: secret
# state: kept
import os, sys
sys.modules["posix"].environ[SECRET_NAME.encode()]
