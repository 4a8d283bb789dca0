# The value of the cell is a text of a hundred million characters.
# expect: ok or memory
# when: repr
"spam" * 20_000_000
