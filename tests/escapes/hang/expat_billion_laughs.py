# Entities of entities in XML, with expat's own limits lifted; nobody is told of the text.
# expect: error
# only: 3.14+
# profile: data
from xml.parsers import expat
entities = ['<!ENTITY e0 "ha">'] + [f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, 13)]
text = f"<!DOCTYPE a [{''.join(entities)}]><a>&e12;</a>"
parser = expat.ParserCreate()
parser.SetBillionLaughsAttackProtectionActivationThreshold(1 << 62)
parser.SetBillionLaughsAttackProtectionMaximumAmplification(1e30)
parser.SetAllocTrackerActivationThreshold(1 << 62)
parser.SetAllocTrackerMaximumAmplification(1e30)
parser.Parse(text, True)
