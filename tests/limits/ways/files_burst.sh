# Makes files as fast as one program can, in many folders.
# limit: disk_files
mkdir d{1..50}
for d in d*; do (cd $d && touch f{1..500}) & done
wait
