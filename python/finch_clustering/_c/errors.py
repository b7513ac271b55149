"""Errors that the library found."""

from __future__ import annotations

from .header import CANCELLED, IO, OK, OUT_OF_MEMORY
from .library import lib


class Error(ValueError):
    """A fault that the library found; the message says where the fault is and what to do.

    `status` is the name of the error in finch.h, such as "FINCH_NON_FINITE".
    """

    def __init__(self, message: str, status: str) -> None:
        super().__init__(message, status)
        self.status = status

    def __str__(self) -> str:
        return str(self.args[0])


class Cancelled(Error):
    """The progress callback returned a true value."""


def check(status: int) -> None:
    """Raises the error that a call of the library returned, if it returned one."""
    if status == OK:
        return
    message = lib.finch_last_error_message().decode()
    if status == OUT_OF_MEMORY:
        raise MemoryError(message)
    if status == IO:
        raise OSError(message)
    error = Cancelled if status == CANCELLED else Error
    raise error(message, lib.finch_status_name(status).decode())
