"""Libraries that come from the machine: one repository per library, found through pkg-config.

Each repository holds links to the library's headers and one cc_library named after it, so that
`@ccd`, `@cholmod`, `@gtest` and so on are ordinary dependencies with exact headers, wherever the
library is installed. A repository is only looked at when something depends on it: building with
--define=cholmod=off needs no CHOLMOD on the machine.
"""

load("@bazel_tools//tools/build_defs/repo:utils.bzl", "maybe")

_BUILD = """\
load("@rules_cc//cc:defs.bzl", "cc_library")

cc_library(
    name = "{name}",
    hdrs = glob(["include/**"]),
    includes = ["include"],
    defines = {defines},
    linkopts = {linkopts},
    visibility = ["//visibility:public"],
)
"""

def _run(ctx, arguments):
    result = ctx.execute(arguments)
    return result.stdout.strip() if result.return_code == 0 else None

def _fail_missing(ctx, what):
    fail(("\n\nTribo needs {name}, and {what}.\n" +
          "On Debian: apt-get install {package} (tools/dev installs all packages that Tribo needs).\n" +
          "If it is installed under another prefix, say so with {variable}, and run again.\n").format(
        name = ctx.name,
        what = what,
        package = ctx.attr.debian_package,
        variable = "PKG_CONFIG_PATH" if ctx.attr.pkg_config else "TRIBO_SUITESPARSE_PREFIX=DIR",
    ))

# Returns (include directories, link options) as pkg-config gives them.
def _ask_pkg_config(ctx):
    pkg_config = ctx.which("pkg-config")
    if not pkg_config:
        _fail_missing(ctx, "pkg-config, which finds it, is not on the PATH (Debian package pkg-config)")
    module = ctx.attr.pkg_config
    if _run(ctx, [pkg_config, "--exists", module]) == None:
        _fail_missing(ctx, "pkg-config does not know '%s'" % module)
    include_dirs = []
    for variable in ["--variable=includedir", "--cflags-only-I"]:
        for word in (_run(ctx, [pkg_config, variable, module]) or "").split(" "):
            word = word[2:] if word.startswith("-I") else word
            if word and word not in include_dirs:
                include_dirs.append(word)
    linkopts = [w for w in _run(ctx, [pkg_config, "--libs", module]).split(" ") if w]
    library_dir = _run(ctx, [pkg_config, "--variable=libdir", module])
    return include_dirs, _with_runtime_path(linkopts, library_dir)

# SuiteSparse ships no .pc file: look for its header under the prefixes where it is usually put.
def _search_prefixes(ctx):
    prefixes = ["/usr", "/usr/local", "/opt/suitesparse"]
    if ctx.os.environ.get("TRIBO_SUITESPARSE_PREFIX"):
        prefixes = [ctx.os.environ["TRIBO_SUITESPARSE_PREFIX"]]
    for prefix in prefixes:
        for include in ["include/suitesparse", "include"]:
            directory = prefix + "/" + include
            if ctx.path(directory + "/" + ctx.attr.headers[0]).exists:
                linkopts = ["-l" + library for library in ctx.attr.libraries]
                if prefix != "/usr":
                    linkopts = ["-L" + prefix + "/lib"] + linkopts
                return [directory], _with_runtime_path(linkopts, prefix + "/lib")
    _fail_missing(ctx, "%s is not under %s" % (ctx.attr.headers[0], ", ".join(prefixes)))

# A library outside the system's own directories must be found again when the program runs.
def _with_runtime_path(linkopts, library_dir):
    if not library_dir or library_dir.startswith("/usr/lib"):
        return linkopts
    return linkopts + ["-Wl,-rpath," + library_dir]

def _system_library_impl(ctx):
    include_dirs, linkopts = _ask_pkg_config(ctx) if ctx.attr.pkg_config else _search_prefixes(ctx)

    # Debian keeps some generated headers in a directory of their own per architecture.
    multiarch = _run(ctx, ["cc", "-print-multiarch"])
    if multiarch:
        include_dirs = include_dirs + [d + "/" + multiarch for d in include_dirs]

    found = []
    for header in ctx.attr.headers:
        for directory in include_dirs:
            path = ctx.path(directory + "/" + header)
            if path.exists and header not in found:
                ctx.symlink(path, "include/" + header)
                found.append(header)
    if ctx.attr.headers[0] not in found:
        _fail_missing(ctx, "its header %s is not in %s" % (ctx.attr.headers[0], ", ".join(include_dirs)))

    ctx.file("BUILD", _BUILD.format(
        name = ctx.name,
        defines = repr(ctx.attr.defines),
        linkopts = repr(linkopts),
    ))

system_library = repository_rule(
    implementation = _system_library_impl,
    attrs = {
        "pkg_config": attr.string(doc = "pkg-config module; empty: search prefixes for headers[0]"),
        "headers": attr.string_list(mandatory = True, doc = "headers and header folders; the first must exist"),
        "libraries": attr.string_list(doc = "what to link, where there is no pkg-config module"),
        "defines": attr.string_list(),
        "debian_package": attr.string(mandatory = True),
    },
    environ = ["PATH", "PKG_CONFIG_PATH", "TRIBO_SUITESPARSE_PREFIX"],
    local = True,
)

def tribo_system_libraries():
    """Declares every library that Tribo takes from the machine, but those that the workspace has already."""
    maybe(
        system_library,
        name = "ccd",
        pkg_config = "ccd",
        headers = ["ccd"],
        debian_package = "libccd-dev",
    )
    maybe(
        system_library,
        name = "cholmod",
        headers = ["cholmod.h"] + ["cholmod_%s.h" % part for part in [
            "io64",
            "config",
            "core",
            "check",
            "cholesky",
            "matrixops",
            "modify",
            "camd",
            "partition",
            "supernodal",
            "gpu",
            "blas",
            "complexity",
            "template",
            "function",
        ]] + ["SuiteSparse_config.h"],
        libraries = ["cholmod", "suitesparseconfig"],
        debian_package = "libsuitesparse-dev",
    )
    maybe(
        system_library,
        name = "qhull",
        pkg_config = "qhull_r",
        headers = ["libqhull_r"],
        debian_package = "libqhull-dev",
    )
    maybe(
        system_library,
        name = "expat",
        pkg_config = "expat",
        headers = ["expat.h", "expat_external.h", "expat_config.h"],
        debian_package = "libexpat1-dev",
    )
    maybe(
        system_library,
        name = "jansson",
        pkg_config = "jansson",
        headers = ["jansson.h", "jansson_config.h"],
        debian_package = "libjansson-dev",
    )
    maybe(
        system_library,
        name = "zlib",
        pkg_config = "zlib",
        headers = ["zlib.h", "zconf.h"],
        debian_package = "zlib1g-dev",
    )
    maybe(
        system_library,
        name = "gtest",
        pkg_config = "gtest_main",
        headers = ["gtest"],
        debian_package = "libgtest-dev",
    )
