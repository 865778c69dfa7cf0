#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Keeps results of guests in which igen has no part, so that a run with the same inputs need not be repeated.

usage: reference.py [--kernel SERIES] [--transport vfio-user|proxy] [--word WORD]... [FILE...]
       reference.py --record

Prints the path in the cache at which the results of a run are kept: with that kernel, QEMU, the model,
what runs the guest, IGT's programs, and the words and files that are given. Programs count without their debugging
information, so that it does not matter where they were built. The caller looks whether the file is there, and writes it
when all results were as expected. With IGEN_FRESH set in the environment the file is removed first.

The repository has results too, igt-tests/reference, under the same keys: a file that the cache lacks is taken from there.
--record ("make reference") puts there the results that this build folder's runs have asked for, and removes all others.
"""

import argparse
import contextlib
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.realpath(__file__)))
import vmlib  # noqa: E402

HERE = os.path.dirname(os.path.realpath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
BUILD = os.environ.get('IGEN_BUILD') or os.path.join(TOP, 'build')
MODEL = os.environ.get('IGEN_MODEL_BIN') or os.path.join(BUILD, 'model/igen-model')
FOLDER = os.path.join(vmlib.CACHE, 'reference')
RECORDED = os.path.join(TOP, 'igt-tests/reference')
ASKED = os.path.join(BUILD, 'reference')        # an empty file for each key that was asked for
KEPT = 128      # results


def content(path):
    """Returns what of a file matters: all, or of a program what it is when it runs."""
    with open(path, 'rb') as file:
        data = file.read()
    if data[:4] != b'\x7fELF' or os.path.basename(path) == 'vmlinux':
        return data
    with tempfile.NamedTemporaryFile() as bare:
        subprocess.run(['objcopy', '-S', '-R', '.note.gnu.build-id', path, bare.name], check=True)
        with open(bare.name, 'rb') as file:
            return file.read()


def listing(folder):
    """Returns names, sizes and dates of the files below a folder that packages were unpacked into."""
    lines = []
    for path, folders, names in os.walk(folder):
        folders.sort()
        for name in sorted(names):
            state = os.lstat(os.path.join(path, name))
            lines.append(f'{os.path.relpath(os.path.join(path, name), folder)} {state.st_size} {int(state.st_mtime)}')
    return '\n'.join(lines)


def common(kernel, transport):
    """Returns the files that every guest depends on, and words for what is too large to be read."""
    folders = [os.path.join(HERE, name) for name in ('guest', 'sw_sync', 'awake', 'coherency')]
    qemu = os.path.join(vmlib.CACHE, 'qemu/root/usr/bin') if transport == 'vfio-user' else None
    files = [vmlib.Kernel(kernel).image, MODEL, shutil.which('qemu-system-x86_64', path=qemu), shutil.which('busybox'),
             os.path.join(HERE, 'igen-vm'), os.path.join(HERE, 'vmlib.py'), os.path.realpath(__file__)]
    # Not what is in folders below: QEMU's plugin is for runs that ask for it, of which no results are kept.
    files += [path for folder in folders for name in sorted(os.listdir(folder))
              if os.path.isfile(path := os.path.join(folder, name))]
    return files, [vmlib.Kernel(kernel).release, listing(os.path.join(vmlib.CACHE, 'igt/root/usr/libexec'))]


def written(path):
    """Returns when a file was written; one that another run has just renamed or removed counts as new."""
    try:
        return os.path.getmtime(path)
    except FileNotFoundError:
        return float('inf')


def place(kernel, transport, words, files):
    """Returns the path of the results that belong to these inputs; makes room for one result more."""
    needed, more = common(kernel, transport)
    key = hashlib.sha256()
    for word in [kernel, transport, *more, *words]:
        key.update(f'word {len(word)} {word}\n'.encode())
    for path in [*needed, *files]:
        data = content(path)
        key.update(f'file {os.path.basename(path)} {len(data)}\n'.encode())
        key.update(data)
    for folder in (FOLDER, ASKED):
        os.makedirs(folder, exist_ok=True)
    kept = sorted((os.path.join(FOLDER, name) for name in os.listdir(FOLDER)), key=written)
    found = os.path.join(FOLDER, key.hexdigest())
    fresh = os.environ.get('IGEN_FRESH')
    for old in [*(path for path in kept[:-KEPT] if path != found), *([found] if fresh else [])]:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(old)
    with open(os.path.join(ASKED, key.hexdigest()), 'ab'):
        pass
    if not fresh and os.path.exists(found):
        # What is in use is not the oldest.
        with contextlib.suppress(FileNotFoundError):
            os.utime(found)
    elif not fresh:
        with contextlib.suppress(FileNotFoundError):
            new = f'{found}.{os.getpid()}'
            shutil.copyfile(os.path.join(RECORDED, key.hexdigest()), new)
            os.replace(new, found)
    return found


def record():
    """Makes the repository's results those that were asked for; returns how many of them there are."""
    os.makedirs(RECORDED, exist_ok=True)
    keys = sorted(key for key in os.listdir(ASKED) if os.path.exists(os.path.join(FOLDER, key)))
    for key in keys:
        shutil.copyfile(os.path.join(FOLDER, key), os.path.join(RECORDED, key))
    for name in os.listdir(RECORDED):
        if name not in keys and name != 'README':
            os.unlink(os.path.join(RECORDED, name))
    return len(keys)


def main():
    """Prints the path."""
    parser = argparse.ArgumentParser(prog='reference.py', description=__doc__, usage=argparse.SUPPRESS, allow_abbrev=False,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--kernel', default='6.1')
    parser.add_argument('--transport', default='vfio-user', choices=('vfio-user', 'proxy'))
    parser.add_argument('--word', action='append', default=[])
    parser.add_argument('--record', action='store_true')
    parser.add_argument('files', nargs='*', metavar='FILE')
    options = parser.parse_args()
    if options.record:
        if not os.path.isdir(ASKED):
            sys.exit(f'reference.py: no run has asked for results in {BUILD}: run make test first')
        print(f'{record()} results in {os.path.relpath(RECORDED)}')
        return
    print(place(options.kernel, options.transport, options.word, options.files))


if __name__ == '__main__':
    main()
