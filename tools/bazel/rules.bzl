"""The rules that Tribo's own BUILD files use: Bazel's C rules with the house's compiler flags."""

load("@rules_cc//cc:defs.bzl", "cc_binary", "cc_library", "cc_test")

# Warnings are errors in our own code. -ffp-contract=off keeps a*b+c two roundings on every machine, so
# that trajectories are the same bits from gcc and clang (docs/determinism.md).
_COMMON = [
    "-Wall",
    "-Wextra",
    "-Wshadow",
    "-Wpointer-arith",
    "-Wvla",
    "-Werror",
    "-ffp-contract=off",
    "-fno-math-errno",
    "-fvisibility=hidden",
]

_C = ["-std=c17", "-Wconversion", "-Wno-sign-conversion", "-Wstrict-prototypes", "-Wmissing-prototypes"] + _COMMON
_CC = ["-std=c++17"] + _COMMON

def tribo_library(name, copts = [], **kwargs):
    """A C library. Linked whole, so that the shared library holds all of the public API."""
    cc_library(name = name, copts = _C + copts, linkstatic = True, alwayslink = True, **kwargs)

def tribo_binary(name, copts = [], **kwargs):
    """A C program."""
    cc_binary(name = name, copts = _C + copts, **kwargs)

def tribo_test_library(name, copts = [], **kwargs):
    """C++ helpers shared by tests."""
    cc_library(name = name, copts = _CC + copts, linkstatic = True, testonly = True, **kwargs)

def tribo_test(name, deps = [], copts = [], size = "small", **kwargs):
    """A GoogleTest program, `name`.cc unless srcs says otherwise. Assertions (TRIBO_ASSERT) are on."""
    cc_test(
        name = name,
        size = size,
        srcs = kwargs.pop("srcs", [name + ".cc"]),
        copts = _CC + copts,
        linkstatic = True,
        deps = deps + ["@gtest"],
        **kwargs
    )

def tribo_cc_binary(name, copts = [], **kwargs):
    """A C++ program that uses the library as its users do."""
    cc_binary(name = name, copts = _CC + copts, **kwargs)

def tribo_fuzz(name, corpus, deps, **kwargs):
    """A libFuzzer target `name`.cc (manual: build it with --config=fuzz), and a test that replays its corpus."""
    cc_binary(
        name = name,
        srcs = [name + ".cc"],
        copts = _CC,
        linkopts = ["-fsanitize=fuzzer"],
        tags = ["manual"],
        testonly = True,
        deps = deps,
        **kwargs
    )
    cc_test(
        name = name + "_replay_test",
        size = "small",
        srcs = [name + ".cc", "replay_test.cc"],
        args = ["$(location %s)" % file for file in corpus],
        copts = _CC,
        data = corpus,
        linkstatic = True,
        deps = deps + ["//engine/base:random", "//tests:scale", "@gtest"],
    )
