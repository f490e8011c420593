"""Fitting models from examples. In: labelled examples. Out: models that evidence runs, with figures."""
