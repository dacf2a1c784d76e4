"""A program built otherwise than the rest, with everything that it links: another optimization level, another compiler."""

# Warnings are the business of the ordinary build, where they are errors.
def _flags(settings, add):
    return {
        "//command_line_option:copt": settings["//command_line_option:copt"] + add + ["-w"],
        "//command_line_option:linkopt": settings["//command_line_option:linkopt"],
        "//command_line_option:crosstool_top": settings["//command_line_option:crosstool_top"],
    }

def _variant_impl(settings, attr):
    if attr.level:
        return _flags(settings, ["-O" + attr.level])  # the last -O counts
    flags = _flags(settings, [])
    for name in ["//command_line_option:copt", "//command_line_option:linkopt"]:
        # A compiler has its own runtime for sanitizers, which need not be installed.
        flags[name] = [flag for flag in flags[name] if "sanitize" not in flag]
    flags["//command_line_option:crosstool_top"] = "@tribo_other_compiler//:toolchain"
    return flags

_FLAGS = ["//command_line_option:" + flag for flag in ["copt", "linkopt", "crosstool_top"]]

_variant = transition(implementation = _variant_impl, inputs = _FLAGS, outputs = _FLAGS)

def _tribo_variant_impl(ctx):
    # A copy under a name of its own, without the binary's runfiles: these have the ordinary binary's name.
    binary = ctx.executable.binary
    out = ctx.actions.declare_file(ctx.label.name)
    ctx.actions.run_shell(
        inputs = [binary],
        outputs = [out],
        command = "cp \"$1\" \"$2\"",
        arguments = [binary.path, out.path],
    )
    return [DefaultInfo(executable = out, runfiles = ctx.runfiles(files = [out]))]

tribo_variant = rule(
    implementation = _tribo_variant_impl,
    doc = "`binary` and its dependencies, compiled with -O`level` (the ordinary build is at -O2) or, without one, by the other compiler.",
    attrs = {
        "binary": attr.label(cfg = _variant, executable = True, mandatory = True),
        "level": attr.string(values = ["", "1", "3"]),
        "_allowlist_function_transition": attr.label(default = "@bazel_tools//tools/allowlists/function_transition_allowlist"),
    },
    executable = True,
)
