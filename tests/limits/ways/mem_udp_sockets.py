# Sends datagrams to sockets of its own that nobody reads.
# limit: memory
# forms: bash
import socket, time
keep = []
end = time.time() + 3
try:
    while time.time() < end:
        s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 24)
        s.bind(("127.0.0.1", 0))
        keep.append(s)
        for i in range(200):
            s.sendto(bytes(60000), s.getsockname())
except OSError as error:
    print(error)
print(len(keep))
