# The C half of concurrent.interpreters.
# breach: secret
# only: 3.14+
import _interpreters
source = f"open('got.txt', 'w').write(open({SECRET_FILE!r}).read())"
_interpreters.exec(_interpreters.create(), source)
with open("got.txt") as file:
    got = file.read()
got
