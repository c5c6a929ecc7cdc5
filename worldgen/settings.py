"""Settings read once from the environment (prefix ``WORLDGEN_``); every one has a default that works offline."""

from __future__ import annotations

from pathlib import Path

from pydantic import Field
from pydantic_settings import BaseSettings, SettingsConfigDict


class Settings(BaseSettings):
    """Where things lie and how much is built unless a call says otherwise."""

    model_config = SettingsConfigDict(env_prefix="WORLDGEN_", extra="ignore")

    worlds_dir: Path = Field(default=Path("worlds"), description="Where builds land.")
    seed: int = Field(default=7, description="Seed used when none is given.")
    haystack: int = Field(
        default=300, ge=0, description="Pages of sibling worlds, in each language, that are searched along."
    )
    agent_key: str | None = Field(default=None, description="Key that `worldgen serve` asks of agents.")
    trainer_key: str | None = Field(default=None, description="Key that opens episodes and rewards; else one is drawn.")
    model_url: str | None = Field(default=None, description="Address of a model's server, up to and with /v1.")
    model_name: str | None = Field(default=None, description="What the model is asked for by.")
    model_cache: Path = Field(
        default=Path("~/.cache/worldgen/replies"), description="Where replies of models are kept, by what was asked."
    )
    model_key: str | None = Field(default=None, description="Key that models are asked with, and served with.")
    model_failures: int = Field(
        default=3, ge=0, description="Calls that fail in a row until a model is taken for down; 0 for never."
    )
    model_pause: float = Field(default=2.0, gt=0, description="Seconds for which it is not asked; doubled each time.")
    model_longest_pause: float = Field(default=60.0, gt=0, description="Seconds for which it is not asked at most.")
    judge_key: str | None = Field(default=None, description="Key that the server of a judge asks for.")
