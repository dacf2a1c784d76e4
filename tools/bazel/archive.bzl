"""A static library that holds everything below its deps, which Bazel 4 has no rule for."""

def _tribo_archive_impl(ctx):
    archives, flags = [], ["-lm"]  # which Bazel links without being asked
    for dep in ctx.attr.deps:
        for linker_input in dep[CcInfo].linking_context.linker_inputs.to_list():
            flags += [flag for flag in linker_input.user_link_flags if flag not in flags]
            for library in linker_input.libraries:
                archive = library.pic_static_library or library.static_library
                if archive and archive not in archives:
                    archives.append(archive)

    # GNU ar merges archives by a script on its standard input.
    archive = ctx.actions.declare_file(ctx.label.name + ".a")
    script = ctx.actions.declare_file(ctx.label.name + ".mri")
    ctx.actions.write(script, "".join(
        ["CREATE %s\n" % archive.path] + ["ADDLIB %s\n" % a.path for a in archives] + ["SAVE\nEND\n"],
    ))
    ctx.actions.run_shell(
        inputs = archives + [script],
        outputs = [archive],
        command = "ar -M < %s" % script.path,
        mnemonic = "MergeArchives",
    )

    link = ctx.actions.declare_file(ctx.label.name + ".link")
    ctx.actions.write(link, " ".join(flags) + "\n")
    files = [archive, link]
    return [DefaultInfo(files = depset(files), runfiles = ctx.runfiles(files = files))]

tribo_archive = rule(
    implementation = _tribo_archive_impl,
    doc = "NAME.a with all objects of deps, and NAME.link with the flags that linking it needs.",
    attrs = {"deps": attr.label_list(providers = [CcInfo])},
)
