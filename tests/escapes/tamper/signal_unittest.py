# unittest installs a handler of SIGINT.
# breach: setting
# state: kept
import unittest
unittest.installHandler()
