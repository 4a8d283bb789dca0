# unittest installs a handler of SIGINT.
# breach: setting
import unittest
unittest.installHandler()
