"""Stands in for SGLang's launcher; see ``listening.py``."""

import argparse

import listening

if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--model-path", dest="model", required=True)
    parser.add_argument("--served-model-name")
    listening.serve(parser, lambda options: {"/health_generate": {}, "/v1/models": listening.models(options)})
