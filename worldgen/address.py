"""Addresses that servers listen on: which are the machine's own, how they are written, and taking one."""

from __future__ import annotations

import ipaddress
import socket

from worldgen.errors import CallerError

_BACKLOG = 1_024


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches the host.

    >>> is_loopback("127.0.0.1"), is_loopback("::1"), is_loopback("localhost"), is_loopback("0.0.0.0")
    (True, True, True, False)
    """
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def bracketed(host: str) -> str:
    """The host as it stands in a URL.

    >>> bracketed("::1")
    '[::1]'
    """
    return f"[{host}]" if ":" in host else host


def listen(host: str, port: int, *, code: str = "serve.address") -> socket.socket:
    """A socket that listens there; port 0 takes a free one.

    Args:
        host: Name or number of the address.
        port: Its port.
        code: What the error is known by.

    Raises:
        CallerError: It is taken, or no address of this machine.
    """
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        listening = socket.socket(family, kind, protocol)
        try:
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listening.bind(address)
            listening.listen(_BACKLOG)
        except OSError:
            listening.close()
            raise
    except (OSError, OverflowError) as error:
        raise CallerError(
            code,
            f"cannot listen on {host}:{port}: {getattr(error, 'strerror', None) or error}",
            fix="choose another with --host or --port; port 0 is a free one",
        ) from error
    return listening
