from itertools import product
from sonnx_verify.counterexample.inputs import *
from sonnx_verify.counterexample.search import Search
from dataclasses import dataclass
@dataclass
class C:
    assignment: object
def cases_of(project, unit, context):
    m = project.meaning(unit, context)
    s = Search(m.given, [*m.hypotheses, *m.arity], 1500)
    s._read = {v.name for v in m.given if v.kind == "tensor"}
    s._facts = []
    for f in s.all():
        yield C(f.assignment)
def random_cases(*a): return []
