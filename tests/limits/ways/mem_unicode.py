# Encodes, decodes, normalizes and translates what grows by it.
# limit: memory
# forms: local worker full bash
import unicodedata
x = "\ufdfa" * 5_000_000
keep = []
for form in ("NFKD", "NFKC", "NFKD", "NFKC"):
    keep.append(unicodedata.normalize(form, x))
keep.append(x.encode("utf-16"))
keep.append(x.encode("unicode_escape"))
keep.append(x.encode("ascii", "xmlcharrefreplace"))
