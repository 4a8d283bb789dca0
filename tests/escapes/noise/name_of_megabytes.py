# A NameError for a name of ten megabytes, with near names to look for.
# expect: error or memory
# when: report
globals()["spam" * 2_500_000] = 1
eval("spam" * 2_500_000 + "x")
