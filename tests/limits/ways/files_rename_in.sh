# Makes them in /tmp and moves them in.
# limit: disk_files
mkdir /tmp/m && cd /tmp/m && touch f{1..3000} && cd - >/dev/null
mv /tmp/m .
