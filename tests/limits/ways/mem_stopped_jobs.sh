# Jobs that stop themselves with their memory, and stay over many cells.
# limit: memory
# rounds: 12
python3 -c 'b = bytearray(b"x" * (40 << 20)); import os, signal; os.kill(os.getpid(), signal.SIGSTOP)' >/dev/null 2>&1 &
sleep 0.3
