# Processes side by side with what each may have.
# limit: memory
for i in {1..20}; do python3 -c 'b = bytearray(b"x" * (40 << 20)); import time; time.sleep(2)' & done
wait
