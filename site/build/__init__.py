"""The parts of build_wheel.py, one file each; only the standard library is imported here."""
