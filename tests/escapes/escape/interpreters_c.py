# The C half of concurrent.interpreters.
# breach: secret
# state: kept
# only: 3.14+
import _interpreters
_interpreters.exec(_interpreters.create(), "import os")
