"""How fast: the engine, our kernels beside the papers' packages, calls over HTTP. No paper has these tables."""
