#!/usr/bin/python3
"""Chromium that does not see changes of the machine's network.

A container that starts or ends beside a test changes the network. Chromium then fails every request that still waits for
a connection (net::ERR_NETWORK_CHANGED), also those to this machine. It learns of changes from a netlink socket; where it
gets none, it takes the network as it is. This program forbids itself netlink sockets and becomes Chromium.
"""
import ctypes
import os
import struct
import sys

PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP, FILTER = 38, 22, 2
AF_NETLINK, EAFNOSUPPORT = 16, 97
ALLOW, REFUSE = 0x7FFF0000, 0x00050000 | EAFNOSUPPORT
# Instructions of a filter: load a word of the call, jump if it is equal, return.
LOAD, IF_EQUAL, RETURN = 0x20, 0x15, 0x06
NUMBER, FIRST_ARGUMENT = 0, 16


class Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("instructions", ctypes.c_void_p)]


socket = {"x86_64": 41, "aarch64": 198}.get(os.uname().machine)
if socket is not None:
    instructions = b"".join(
        struct.pack("HBBI", *one)
        for one in [
            (LOAD, 0, 0, NUMBER),
            (IF_EQUAL, 0, 3, socket),
            (LOAD, 0, 0, FIRST_ARGUMENT),
            (IF_EQUAL, 0, 1, AF_NETLINK),
            (RETURN, 0, 0, REFUSE),
            (RETURN, 0, 0, ALLOW),
        ]
    )
    memory = ctypes.create_string_buffer(instructions, len(instructions))
    program = Program(len(instructions) // 8, ctypes.cast(memory, ctypes.c_void_p))
    prctl = ctypes.CDLL(None, use_errno=True).prctl
    # Without the filter Chromium runs all the same.
    if prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0:
        prctl(PR_SET_SECCOMP, FILTER, ctypes.byref(program), 0, 0)
os.execv("/usr/bin/chromium", ["chromium", *sys.argv[1:]])
