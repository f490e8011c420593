"""Figures of the selective paper."""
