# A socket pair passes the descriptor to itself.
# breach: secret
import asyncio, os
socket = asyncio.base_events.socket
one, other = socket.socketpair()
socket.send_fds(one, [b"x"], [SECRET_FD])
number = socket.recv_fds(other, 10, 1)[1][0]
got = os.pread(number, 100, 0)
os.close(number)
got
