# Fills the buffers of sockets of the machine's own kind.
# limit: memory
# forms: full bash
import socket, time
keep, total = [], 0
end = time.time() + 3
try:
    while time.time() < end:
        a, b = socket.socketpair()
        a.setblocking(False)
        keep.append((a, b))
        try:
            while True:
                total += a.send(b"x" * 65536)
        except BlockingIOError:
            pass
except OSError as error:
    print(error)
print(len(keep), total >> 20)
time.sleep(0.5)
