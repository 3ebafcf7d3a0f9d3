"""The representative of a state in the compiled search, as `symmetry_plan` says.

canonical(state)             the representative, in the state's place
expand(state, out, counters) the representatives of the successors
"""

from __future__ import annotations

from collections.abc import Iterator

from genstamp_model.explore.symmetry_plan import Plan
from genstamp_model.explore.symmetry_sort import Kernel, sort_function
from genstamp_model.explore.symmetry_try import try_functions


def canonical_functions(kernel: Kernel, plan: Plan) -> Iterator[str]:
    """The texts of the functions above, and of what they call, except for `successors`."""
    yield sort_function(kernel, plan)
    if plan.tried:
        yield from try_functions(kernel, plan)
    else:
        yield "define void @canonical(ptr %state) {\n  call void @sort(ptr %state)\n  ret void\n}\n"
    yield _EXPAND.replace("WORDS", str(kernel.layout.words))


# The successors, each replaced by its representative.
_EXPAND = """define i64 @expand(ptr %state, ptr %out, ptr %counters) {
entry:
  %count = call i64 @successors(ptr %state, ptr %out, ptr %counters)
  %any = icmp sgt i64 %count, 0
  br i1 %any, label %loop, label %done
loop:
  %i = phi i64 [0, %entry], [%next, %loop]
  %offset = mul i64 %i, WORDS
  %row = getelementptr i64, ptr %out, i64 %offset
  call void @canonical(ptr %row)
  %next = add i64 %i, 1
  %more = icmp slt i64 %next, %count
  br i1 %more, label %loop, label %done
done:
  ret i64 %count
}
"""
