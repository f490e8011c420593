"""Selective use of link context (Liu, Peng and Zuo)."""
