#!/usr/bin/env python3
"""Man pages and bash completion of the program, from its own list of options.

Usage: program_pages.py PROGRAM FOLDER; writes otseq2set.1.gz, a page for each command, and otseq2set.bash. The commands of
otseq2set-train beside the program are among them, where it was built.
"""

import gzip
import json
import pathlib
import re
import subprocess
import sys


def option_list(program):
    return json.loads(subprocess.run([program, "--option-list"], capture_output=True, check=True).stdout)


def commands_of(program):
    """The program's description, its commands by name; those of the program that trains replace their stand-ins."""
    description = option_list(program)
    commands = {command["name"]: command for command in description["commands"]}
    training = program.with_name("otseq2set-train")
    if training.exists():
        commands.update((command["name"], command) for command in option_list(training)["commands"])
    return description, commands


def roff(text):
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return re.sub(r"^([.'])", r"\\&\1", text, flags=re.MULTILINE)


def header(name, version, summary):
    return [f'.TH "{name.upper()}" 1 "" "otseq2set {version}" "User Commands"', ".SH NAME", f"{roff(name)} \\- {roff(summary)}",
            ".SH SYNOPSIS"]


def options_section(options):
    lines = [".SH OPTIONS"]
    for option in options:
        value = re.sub(r":.*", "", option["value"])
        lines += [".TP", f"\\fB{roff(option['names'].replace(',', ', '))}\\fR" + (f" \\fI{roff(value)}\\fR" if value else "")]
        notes = []
        if choices := choices_of(option):
            notes.append("one of " + ", ".join(choices))
        if option["required"]:
            notes.append("required")
        if option["default"] not in ("", '""'):
            notes.append(f"default {option['default']}")
        if option["variable"]:
            notes.append(f"or in the environment variable {option['variable']}")
        lines.append(roff(option["help"] + (f" ({'; '.join(notes)})" if notes else "")))
    return lines


def choices_of(option):
    match = re.search(r"\{([^{}]*)\}", option["value"])
    return match[1].split(",") if match else []


def command_page(command, version):
    name = f"otseq2set-{command['name']}"
    required = "".join(f" \\fB{roff(option['names'])}\\fR \\fI...\\fR" for option in command["options"] if option["required"])
    return header(name, version, command["help"]) + [
        f"\\fBotseq2set {roff(command['name'])}\\fR{required} [\\fIoptions\\fR]", *options_section(command["options"]),
        *last_sections(), ".SH SEE ALSO", ".BR otseq2set (1)"]


def last_sections():
    return [".SH EXIT STATUS", "0 on success; 1 if the input or the environment is at fault; 2 if the command line or the "
            "configuration is at fault; 130 after an interrupt. One line on standard error gives the reason."]


def program_page(description, commands):
    lines = header("otseq2set", description["version"], "a set of labels for every text")
    lines += ["\\fBotseq2set\\fR \\fIcommand\\fR [\\fIoptions\\fR]", ".SH DESCRIPTION", roff(description["help"]), ".SH COMMANDS"]
    for command in commands.values():
        lines += [".TP", f".BR otseq2set\\-{roff(command['name'])} (1)", roff(command["help"])]
    return lines + options_section(description["options"]) + last_sections()


def completion(description, commands):
    def long_names(options):
        return " ".join(name for option in options for name in option["names"].split(",") if name.startswith("--"))

    lines = ["# Completion of otseq2set(1) for bash.", "_otseq2set() {", "  local current=$2 previous=$3 options= values=",
             '  case ${COMP_WORDS[1]} in']
    lines += [f'    {command["name"]}) options="{long_names(command["options"])}" ;;' for command in commands.values()]
    lines += ["  esac", "  case ${COMP_WORDS[1]}$previous in"]
    for command in commands.values():
        for option in command["options"]:
            if choices := choices_of(option):
                lines.append(f'    {command["name"]}{option["names"].split(",")[-1]}) values="{" ".join(choices)}" ;;')
    top = " ".join(commands) + " " + long_names(description["options"])
    lines += ["  esac", "  if ((COMP_CWORD == 1)); then", f'    COMPREPLY=($(compgen -W "{top}" -- "$current"))',
              "  elif [[ $values ]]; then", '    COMPREPLY=($(compgen -W "$values" -- "$current"))',
              "  elif [[ $current == -* ]]; then", '    COMPREPLY=($(compgen -W "$options" -- "$current"))', "  else",
              '    compopt -o filenames', '    mapfile -t COMPREPLY < <(compgen -f -- "$current")', "  fi", "}",
              "complete -F _otseq2set otseq2set"]
    return "\n".join(lines) + "\n"


def main(arguments):
    if len(arguments) != 2:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    program, folder = map(pathlib.Path, arguments)
    description, commands = commands_of(program.resolve())
    folder.mkdir(parents=True, exist_ok=True)
    pages = {"otseq2set": program_page(description, commands)}
    for command in commands.values():
        if command["name"] != "train" or len(command["options"]) > 1:  # its stand-in has no options of its own
            pages[f"otseq2set-{command['name']}"] = command_page(command, description["version"])
    for name, lines in pages.items():
        (folder / f"{name}.1.gz").write_bytes(gzip.compress(("\n".join(lines) + "\n").encode(), mtime=0))
    (folder / "otseq2set.bash").write_text(completion(description, commands))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
