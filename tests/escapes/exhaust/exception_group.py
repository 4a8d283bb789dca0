# A group of two hundred thousand exceptions leaves the cell.
# expect: error or memory
# when: report
raise ExceptionGroup("many", [ValueError(n) for n in range(200_000)])
