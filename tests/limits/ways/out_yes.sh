# Programs that print for ever, side by side.
# limit: output disk_bytes
# options: --timeout 2s
yes & yes >&2 & yes "$(head -c 100000 /dev/zero | tr '\0' x)" & wait
