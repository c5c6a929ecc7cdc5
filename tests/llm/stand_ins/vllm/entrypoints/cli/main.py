"""Stands in for vLLM's command line; see ``listening.py``."""

import argparse

import listening

if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("command", choices=["serve"])
    parser.add_argument("model")
    parser.add_argument("--served-model-name")
    listening.serve(parser, lambda options: {"/health": {}, "/v1/models": listening.models(options)})
