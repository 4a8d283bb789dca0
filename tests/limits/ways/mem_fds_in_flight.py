# Sends full pipes through sockets and closes them: they live in the socket's queue alone.
# limit: memory
# forms: bash
import socket, os, array, time
keep, count = [], 0
end = time.time() + 3
try:
    while time.time() < end:
        a, b = socket.socketpair()
        a.setblocking(False)
        keep.append((a, b))
        try:
            for i in range(200):
                r, w = os.pipe()
                os.set_blocking(w, False)
                os.write(w, bytes(65536))
                a.sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [r, w]))])
                os.close(r)
                os.close(w)
                count += 1
        except OSError as error:
            os.close(r)
            os.close(w)
except OSError as error:
    print(error)
print(len(keep), count)
