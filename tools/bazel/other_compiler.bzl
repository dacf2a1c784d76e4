"""A C toolchain beside the build's own: clang where that is gcc, gcc where it is clang (--config=clang)."""

load("@bazel_tools//tools/cpp:cc_configure.bzl", "cc_autoconf_impl")

def _other_compiler_impl(ctx):
    name = "gcc" if "clang" in ctx.os.environ.get("CC", "") else "clang"
    compiler = ctx.which(name)

    # Without it this is the build's own compiler; who compares the two asks the programs (scene_hashes --compiler).
    cc_autoconf_impl(ctx, {"gcc": str(compiler)} if compiler else {})

other_compiler = repository_rule(
    implementation = _other_compiler_impl,
    doc = "`:toolchain`, a cc_toolchain_suite for --crosstool_top.",
    environ = ["CC", "PATH"],
    configure = True,
    # Looked at again by every bazel server, so that a compiler which is installed later is found.
    local = True,
)
