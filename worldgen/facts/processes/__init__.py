"""Structures that no distribution gives, as plug-ins: the interface, and a file for each."""

from worldgen.facts.processes.process import Process, process_of, processes

__all__ = ["Process", "process_of", "processes"]
