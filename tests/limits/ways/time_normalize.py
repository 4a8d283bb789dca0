# Sorts combining marks.
# limit: wall cpu
# forms: local worker full bash
import unicodedata
unicodedata.normalize("NFC", "\u0301\u0327" * 300_000)
