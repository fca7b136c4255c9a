"""Loops over cases that are alike: one test for all, which goes on after a failure and names whatever failed."""

from collections.abc import Callable, Iterable, Mapping


def each(cases: Iterable[object], check: Callable[..., object]) -> None:
    """Call `check` for every case; fail with the names of those that failed, and why.

    Args:
        cases: a tuple gives several arguments; of a mapping, keys are names and values cases. At least one.
        check: asserts. What it raises counts as a failure of that case.
    """
    named = cases.items() if isinstance(cases, Mapping) else [(repr(case), case) for case in cases]
    assert named, "no case was given"
    failures = []
    for name, case in named:
        try:
            check(*(case if isinstance(case, tuple) else (case,)))
        except Exception as error:  # every case has its turn
            failures.append(f"{name[:300]}: {type(error).__name__}: {error}")
    assert not failures, f"{len(failures)} of {len(named)} failed:\n" + "\n".join(failures)
