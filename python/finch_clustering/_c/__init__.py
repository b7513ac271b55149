"""The C library, called through ctypes."""
