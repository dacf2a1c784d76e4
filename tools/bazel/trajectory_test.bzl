"""A test that simulates a model and compares the trajectory with a golden one.

Other workspaces load it too: load("@tribo//tools/bazel:trajectory_test.bzl", "tribo_trajectory_test").
docs/trajectories.md says how golden files are made.
"""

def _quote(text):
    return "'" + text.replace("'", "'\\''") + "'"

def _tribo_trajectory_test_impl(ctx):
    if (ctx.file.model != None) == (ctx.attr.scene != ""):
        fail("give either model, a file, or scene, a scene of Tribo's library")
    model = ctx.file.model.short_path if ctx.file.model else ctx.attr.scene
    words = [ctx.executable._tribo.short_path, "verify", ctx.file.golden.short_path, "--model", model]
    if ctx.attr.controller:
        words += ["--controller", ctx.attr.controller]
    if ctx.attr.tolerances:
        words += ["--tol", ",".join(["%s=%s" % item for item in ctx.attr.tolerances.items()])]
    script = ctx.actions.declare_file(ctx.label.name)
    ctx.actions.write(
        script,
        "#!/bin/sh\n" +
        "# Paths are of the runfiles (../tribo/... from another workspace), where Bazel starts it; by hand, go there.\n" +
        "[ ! -d \"$0.runfiles\" ] || cd \"$0.runfiles\"/%s || exit 2\n" % _quote(ctx.workspace_name) +
        "exec %s --report \"${TEST_UNDECLARED_OUTPUTS_DIR:-${TMPDIR:-/tmp}}/report.html\" \\\n" % " ".join([_quote(w) for w in words]) +
        "  --xml \"${XML_OUTPUT_FILE:-/dev/null}\"\n",
        is_executable = True,
    )
    files = [ctx.file.golden] + ([ctx.file.model] if ctx.file.model else []) + ctx.files.data
    runfiles = ctx.runfiles(files = files).merge(ctx.attr._tribo[DefaultInfo].default_runfiles)
    return [DefaultInfo(executable = script, runfiles = runfiles)]

tribo_trajectory_test = rule(
    implementation = _tribo_trajectory_test_impl,
    doc = "Simulates as the golden file's header says, with this model and controller, and compares. " +
          "A difference fails the test; the log names joint, time and contact event, and report.html in the " +
          "test's outputs draws it.",
    attrs = {
        "model": attr.label(allow_single_file = True, doc = "URDF or MJCF file"),
        "scene": attr.string(doc = "instead of a file: SCENE or SCENE:KEY=VALUE,... of `tribo scene`"),
        "controller": attr.string(doc = "by name; default: the one that the golden file names"),
        "golden": attr.label(allow_single_file = [".npz"], mandatory = True),
        "tolerances": attr.string_dict(doc = "quantity (q, v, force, ...) to ABSOLUTE or ABSOLUTE:RELATIVE; a cases.json in data, beside the golden file, may hold them as well"),
        "data": attr.label_list(allow_files = True, doc = "files that the model names, such as meshes"),
        "_tribo": attr.label(default = "//tools/tribo", executable = True, cfg = "target"),
    },
    test = True,
)
