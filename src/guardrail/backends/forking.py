"""Computing in a process that was forked after its parent had computed, or while it did."""

from __future__ import annotations

import ctypes
import os
import threading
import weakref
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Protocol, TypeVar

T = TypeVar("T")

_forked: int | None = None  # the one thread that a fork leaves alive


def fork_safe(work: Callable[[], T]) -> T:
    """Do something that torch computes: here, or in a new thread where this one has come through a fork.

    OpenMP keeps helpers for each thread that has computed. After a fork the thread is there and its helpers are not, and
    it would wait for them for ever; a new thread gets new ones.
    """
    if threading.get_ident() != _forked:
        return work()
    with ThreadPoolExecutor(max_workers=1) as pool:
        return pool.submit(work).result()


class Locked(Protocol):
    """What has locks."""

    def renew_locks(self) -> None:
        """Make new ones; also how they are made in the first place."""


_locked: weakref.WeakSet[Locked] = weakref.WeakSet()


def renewed(one: Locked) -> None:
    """Make something's locks, now and in every forked child: there a thread that did not come along may still have locked the old ones."""
    one.renew_locks()
    _locked.add(one)


def abandoned(thing: object) -> None:
    """Never destroy something whose threads did not come along into a forked child: it would wait for their end for ever, also at the end of the process."""
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(thing))


def _after_fork() -> None:
    global _forked  # noqa: PLW0603  # there is one such thread in a process
    _forked = threading.get_ident()
    for one in list(_locked):
        one.renew_locks()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
