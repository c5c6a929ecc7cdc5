"""Episodes: one agent, one question, one set of tools, one answer, one reward; and the record that replays them.

The environment's core, small and without a framework; servers and trainers reach it through adapters.
"""

from worldgen.env.episode import Episode, EpisodeEnded, Limits
from worldgen.env.reward import Reward, reward_of
from worldgen.env.trajectory import Start, Step, Trajectory, json_line, read_trajectory

__all__ = [
    "Episode",
    "EpisodeEnded",
    "Limits",
    "Reward",
    "Start",
    "Step",
    "Trajectory",
    "json_line",
    "read_trajectory",
    "reward_of",
]
