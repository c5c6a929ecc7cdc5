"""Structures that no distribution gives, as plug-ins: the interface and two to begin with."""

from worldgen.facts.processes.process import Process, process_of, processes

__all__ = ["Process", "process_of", "processes"]
