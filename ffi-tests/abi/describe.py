#!/usr/bin/env python3
# SPDX-License-Identifier: MIT OR Apache-2.0
"""Describes the C ABI that a header declares, a fact a line: prototypes, sizes and offsets of structs, values of enumerators.

usage: describe.py HEADER

gcc reads the header; what it made of it is read from its list of prototypes and, with readelf, from its debug information. Names of parameters are left out: they are none of a binary's business.
"""
import os
import re
import subprocess
import sys
import tempfile

PREFIX = "interlock"
DIE = re.compile(r"^ <(\d+)><([0-9a-f]+)>: Abbrev Number: \d+ \((DW_TAG_\w+)\)")
ATTRIBUTE = re.compile(r"^    <[0-9a-f]+>\s+(DW_AT_\w+)\s*: (?:\(indirect (?:line )?string, offset: 0x[0-9a-f]+\): )?(.*)$")


class Die:
    """An entry of the debug information: its tag, attributes and children."""

    def __init__(self, tag):
        self.tag, self.attributes, self.children = tag, {}, []

    def name(self):
        return self.attributes.get("DW_AT_name", "").strip()

    def number(self, attribute):
        return int(self.attributes[attribute].split()[0], 0)


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def compile_header(header, folder):
    """What the compiler says of each function, and an object with the debug information of all types."""
    source, prototypes, thing = (os.path.join(folder, name) for name in ("header.c", "prototypes", "header.o"))
    with open(source, "w") as file:
        file.write(f'#define INTERLOCK_NO_SHORT_NAMES\n#include "{os.path.abspath(header)}"\n')
    options = ("-std=c11", "-g", "-fno-eliminate-unused-debug-types", "-aux-info", prototypes)
    run("gcc", *options, "-c", source, "-o", thing)
    with open(prototypes) as file:
        return file.read(), thing


def functions(prototypes, header):
    """A line a function of the header: it gives each as a comment with the file's name, and its declaration."""
    for line in prototypes.splitlines():
        found = re.match(r"/\* (.*):\d+:\w+ \*/ extern (.*);", line)
        if found and os.path.abspath(header) == os.path.abspath(found[1]):
            yield "function " + re.sub(r" \(", "(", found[2], count=1)


def read_dies(thing):
    dies, path = {}, []
    die = None
    for line in run("readelf", "--debug-dump=info", thing).splitlines():
        if found := DIE.match(line):
            depth, offset, die = int(found[1]), found[2], Die(found[3])
            dies[offset] = die
            del path[depth:]
            if path:
                path[-1].children.append(die)
            path.append(die)
        elif die and (found := ATTRIBUTE.match(line)):
            die.attributes[found[1]] = found[2]
    return dies


def type_of(dies, die):
    """The type of an entry, as C writes it but for the place of an array's lengths."""
    if "DW_AT_type" not in die.attributes:
        return "void"
    of = dies[die.attributes["DW_AT_type"].strip()[len("<0x") : -len(">")]]
    if of.tag == "DW_TAG_pointer_type":
        return type_of(dies, of) + " *"
    if of.tag == "DW_TAG_const_type":
        return type_of(dies, of) + " const"
    if of.tag == "DW_TAG_array_type":
        return type_of(dies, of) + "".join(f"[{child.number('DW_AT_upper_bound') + 1}]" for child in of.children)
    if of.tag == "DW_TAG_subroutine_type":
        return f"{type_of(dies, of)} ({', '.join(type_of(dies, child) for child in of.children)})"
    return of.name()


def types(dies):
    for die in dies.values():
        name = die.name()
        if not name.startswith(PREFIX):
            continue
        if die.tag == "DW_TAG_structure_type":
            yield f"struct {name}: {die.number('DW_AT_byte_size')} bytes"
            for member in die.children:
                at = member.number("DW_AT_data_member_location")
                yield f"struct {name}: at {at:3}: {type_of(dies, member)} {member.name()}"
        elif die.tag == "DW_TAG_enumeration_type":
            yield f"enum {name}: {die.number('DW_AT_byte_size')} bytes"
            for enumerator in die.children:
                yield f"enum {name}: {enumerator.name()} = {enumerator.number('DW_AT_const_value')}"
        elif die.tag == "DW_TAG_typedef" and type_of(dies, die) != name:
            yield f"typedef {name}: {type_of(dies, die)}"


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: describe.py HEADER")
    with tempfile.TemporaryDirectory() as folder:
        prototypes, thing = compile_header(sys.argv[1], folder)
        facts = set(functions(prototypes, sys.argv[1])) | set(types(read_dies(thing)))
    print("\n".join(sorted(facts)))


main()
