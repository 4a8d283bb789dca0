# Changes the environment, the umask, the working directory and the niceness.
# expect: ok or denied or error
import random
environment = random._os.environ
environment["PATH"] = "/nowhere"
random._os.umask(0)
random._os.chdir("/")
