# unicodedata.normalize of a long run of combining marks in the wrong order.
# expect: rung 3 the insertion sort of combining marks: nfd_nfkd
# expect short 3.11: hang
# mended: ok
# state: lost
# only: 3.11
import unicodedata
unicodedata.normalize("NFD", "a" + "\u0300" * 400_000 + "\u0316" * 400_000)
