# Programs that print zeros and what is not text.
# limit: output answer
head -c 5M /dev/zero
head -c 5M /dev/urandom >&2
