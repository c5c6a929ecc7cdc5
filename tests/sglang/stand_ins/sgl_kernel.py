"""Stands in for SGLang's compiled kernels, of which there is no build without CUDA.

SGLang imports their names when it starts; a dense model in float32 with torch's own attention calls none of them.
"""

__version__ = "0"


def __getattr__(name: str):
    if name.startswith("__"):
        raise AttributeError(name)

    def kernel(*_: object, **__: object) -> None:
        raise NotImplementedError(f"sgl_kernel.{name} needs the compiled kernels")

    return kernel
