# An exception with a message of eighty million characters leaves the cell.
# expect: error or memory
# when: report
raise ValueError("spam" * 20_000_000)
