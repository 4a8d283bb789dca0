# Fills the buffers of connections over the sandbox's own loopback.
# limit: memory
# forms: bash
import socket, time
keep, total = [], 0
server = socket.socket()
server.bind(("127.0.0.1", 0))
server.listen(100)
end = time.time() + 3
try:
    while time.time() < end:
        a = socket.create_connection(server.getsockname())
        b, _ = server.accept()
        a.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 22)
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
