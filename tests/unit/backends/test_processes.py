"""What models share with their whole process: locks that a fork copies, and how loud a library is."""

import gc
import os
import threading
import weakref
from types import SimpleNamespace

import pytest

from guardrail.backends import forking, networks


class Held:
    def __init__(self):
        forking.renewed(self)

    def renew_locks(self):
        self.lock = threading.Lock()


class Logging:
    """As that of transformers."""

    def __init__(self):
        self.bars, self.level = True, 30

    def is_progress_bar_enabled(self):
        return self.bars

    def get_verbosity(self):
        return self.level

    def disable_progress_bar(self):
        self.bars = False

    def enable_progress_bar(self):
        self.bars = True

    def set_verbosity(self, level):
        self.level = level

    def set_verbosity_error(self):
        self.level = 40


class TestLocks:
    @pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
    def test_after_a_fork(self):
        """One that a thread of the parent holds is free in the child."""
        held = Held()
        with held.lock:
            child = os.fork()
            if child == 0:
                os._exit(0 if held.lock.acquire(timeout=5) else 1)
            assert os.waitpid(child, 0) == (child, 0)
            assert held.lock.locked()

    def test_nothing_is_kept(self):
        """What nobody else holds goes, with its locks."""
        gone = weakref.ref(Held())
        gc.collect()
        assert gone() is None


class TestQuiet:
    def test_two_at_once(self):
        """The first that is done leaves the other its quiet; the last leaves all as it was."""
        logging = Logging()
        transformers = SimpleNamespace(utils=SimpleNamespace(logging=logging))
        first, second = networks.quiet(transformers), networks.quiet(transformers)
        first.__enter__()
        second.__enter__()
        assert (logging.bars, logging.level) == (False, 40)
        first.__exit__(None, None, None)
        assert (logging.bars, logging.level) == (False, 40)
        second.__exit__(None, None, None)
        assert (logging.bars, logging.level) == (True, 30)

    def test_no_bars(self):
        """They stay off where they were."""
        logging = Logging()
        logging.bars = False
        with networks.quiet(SimpleNamespace(utils=SimpleNamespace(logging=logging))):
            pass
        assert (logging.bars, logging.level) == (False, 30)
