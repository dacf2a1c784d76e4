"""A program built at another optimization level than the rest, with everything that it links."""

def _level_impl(settings, attr):
    # The last -O counts. Warnings are the business of the ordinary build, where they are errors.
    return {"//command_line_option:copt": settings["//command_line_option:copt"] + ["-O" + attr.level, "-w"]}

_level = transition(
    implementation = _level_impl,
    inputs = ["//command_line_option:copt"],
    outputs = ["//command_line_option:copt"],
)

def _tribo_optimized_impl(ctx):
    binary = ctx.attr.binary[0]  # a transition makes a list of every label
    out = ctx.actions.declare_file(ctx.label.name)
    ctx.actions.symlink(output = out, target_file = ctx.executable.binary, is_executable = True)
    runfiles = ctx.runfiles(files = [out]).merge(binary[DefaultInfo].default_runfiles)
    return [DefaultInfo(executable = out, runfiles = runfiles)]

tribo_optimized = rule(
    implementation = _tribo_optimized_impl,
    doc = "`binary` and its dependencies, compiled with -O`level`; the ordinary build is at -O2.",
    attrs = {
        "binary": attr.label(cfg = _level, executable = True, mandatory = True),
        "level": attr.string(mandatory = True, values = ["1", "3"]),
        "_allowlist_function_transition": attr.label(default = "@bazel_tools//tools/allowlists/function_transition_allowlist"),
    },
    executable = True,
)
