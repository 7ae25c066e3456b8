"""Coordinates, ticks and labels of every figure; nothing is drawn here."""
