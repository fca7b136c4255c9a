"""SelfCheck: tables and figures of the paper, and what goes beyond it."""
