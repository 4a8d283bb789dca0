# A file is made with the set-user-id bit.
# breach: marker
import os
descriptor = os.open("program", os.O_CREAT | os.O_RDWR, 0o6755)
os.write(descriptor, b"#!/bin/sh\nid\n")
os.close(descriptor)
