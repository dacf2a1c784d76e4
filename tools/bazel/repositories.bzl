"""The external repositories that Tribo is built with, for its own WORKSPACE and for those that use it as @tribo."""

load("@bazel_tools//tools/build_defs/repo:utils.bzl", "maybe")
load(":other_compiler.bzl", "other_compiler")
load(":system_libraries.bzl", "tribo_system_libraries")

# local_repository takes paths from the main workspace, which is another one where Tribo is external.
def _offline_repository_impl(ctx):
    for entry in ctx.path(ctx.attr.workspace_file).dirname.readdir():
        ctx.symlink(entry, entry.basename)

_offline_repository = repository_rule(
    implementation = _offline_repository_impl,
    attrs = {"workspace_file": attr.label(mandatory = True, doc = "WORKSPACE of a folder here that is a repository")},
    local = True,
)

def tribo_repositories():
    """Declares them all, but those that the workspace has declared before.

    tools/bazel/offline/README.md says what the first three are for.
    """
    maybe(_offline_repository, name = "rules_cc", workspace_file = Label("//tools/bazel/offline/rules_cc:WORKSPACE"))
    maybe(native.local_repository, name = "rules_java", path = "/usr/share/bazel/rules/java")
    maybe(_offline_repository, name = "remote_coverage_tools", workspace_file = Label("//tools/bazel/offline/coverage:WORKSPACE"))
    maybe(other_compiler, name = "tribo_other_compiler")
    tribo_system_libraries()
