# unittest.mock finds what it patches by name.
# breach: secret
import unittest.mock
unittest.mock.patch("os.sep", "/").getter().pread(SECRET_FD, 100, 0)
