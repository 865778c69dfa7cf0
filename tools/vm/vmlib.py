# SPDX-License-Identifier: MIT
"""Parts of igen-vm that know nothing of a run: initramfs writing, kernel log judging, a core per guest."""

import ctypes
import fcntl
import mmap
import os
import platform
import re
import shutil
import subprocess
import time

CACHE = os.environ.get('IGEN_CACHE') or os.path.join(
    os.environ.get('XDG_CACHE_HOME') or os.path.expanduser('~/.cache'), 'igen')
# The parts that the model can be (tools/model/platform).
PLATFORMS = ('kbl', 'kbl-gt1', 'kbl-gt3', 'kbl-gt4', 'skl', 'skl-23eu', 'skl-gt1', 'skl-gt3', 'skl-gt4', 'cfl', 'cfl-gt1',
             'cfl-gt3', 'aml', 'aml-cfl', 'whl', 'whl-gt1', 'whl-gt3', 'cml', 'cml-gt1', 'bxt', 'bxt-2x6', 'glk', 'glk-2x6', 'ivb',
             'snb')

RCU_TEST_LIMIT = 60     # seconds that Linux may say nothing behind the first line of its test of RCU tasks

# What in the kernel's messages means that the run has failed, whatever the command said.
BAD_LOG = re.compile('|'.join((
    r'\bBUG:', r'kernel BUG at', r'\bWARNING: ', r'\bOops\b', r'Kernel panic', r'general protection fault',
    r'unable to handle', r'INFO: task .* blocked for more', r'INFO: rcu.* (?:self-)?detected', r'soft lockup',
    r'hard LOCKUP', r'INFO: possible ', r'INFO: trying to register non-static key', r'INFO: lockdep is turned off',
    r'possible circular locking', r'suspicious RCU usage', r'sleeping function called', r'list_(?:add|del) corruption',
    r'refcount_t:', r'UBSAN:', r'KASAN:', r'KCSAN:', r'Bad page state', r'suspected memory leak', r'scheduling while atomic',
    r'Objects remaining in', r'DEBUG_LOCKS_WARN_ON', r'nobody cared', r'DMA-API: ', r'ODEBUG: ', r'kmemleak: ',
    r'unreferenced object 0x', r'cannot create duplicate filename', r'kobject_add_internal failed',
)))
# Said by every stock kernel under emulation, before any driver of ours is loaded, and by the debugging aids when all is
# well. What they say when they give up is not among these: a run without them proves nothing.
GOOD_LOG = re.compile('|'.join((
    r'WARNING: (?:Spectre|MDS|unprivileged)',
    r'DMA-API: (?:preallocated|debugging enabled by|dma_debug_entry pool grown)',
    r'ODEBUG: selftest passed',
    r'kmemleak: (?:Kernel memory leak detector initialized|Automatic memory scanning thread)',
)))
# Reports between two lines of "=".
FRAMED = re.compile(r'KASAN:|KCSAN:|UBSAN:')
FRAME = re.compile(r'={20,}$')
# What a report about igen's code or memory has in it: a function, the module, a process of its tests.
OWN = re.compile(r'\bigen_\w+\+0x|\[igen\b')


def report_end(lines, first):
    """Returns the number of the line behind the report that begins in a line."""
    if FRAMED.search(lines[first]):
        for n in range(first + 1, min(first + 160, len(lines))):
            if FRAME.search(lines[n]):
                return n + 1
    # A WARN or an oops says where it ends; lockdep's reports end with their stack.
    for mark, most in (('---[ end trace', 60), ('</TASK>', 200)):
        for n in range(first, min(first + most, len(lines))):
            if mark in lines[n]:
                return n + 1
    return min(first + 30, len(lines))


def judge_log(text, known=None):
    """Returns the reports of a kernel log that make a run fail, each with the lines that belong to it.

    known, a KnownReports, takes those away that it knows.
    """
    lines = text.splitlines()
    found = []
    upto = 0
    for n, line in enumerate(lines):
        if n < upto or '[IGT]' in line or not BAD_LOG.search(line) or GOOD_LOG.search(line):
            continue
        upto = report_end(lines, n)
        found.append('\n'.join(lines[n:upto]))
    return [report for report in found if not (known and known.reason(report))]


# A kernel's thread that waits for work, and not for a lock or an event.
IDLE = re.compile(r'state [SI]: (?!.*(?:igen_|mutex|wait_for|rwsem)).*\bkthread(?:add)?\b|: schedule < (?:worker_thread|kthreadd)\b')


def tasks(text):
    """Returns a line for each task that a kernel's log lists, but for threads of the kernel that wait for work."""
    found = []
    names = []
    for line in text.splitlines():
        task = re.search(r'\btask:(\S+)\s+state:(\S+)', line)
        call = re.match(r'(?:\[[ \d.]+\])?\s+(\? )?([A-Za-z_][\w.]*)\+0x[0-9a-f]+/0x[0-9a-f]+', line)
        if task:
            names = []
            found.append((task.group(1), task.group(2), names))
        elif call and not call.group(1) and not call.group(2).startswith(('__schedule', 'entry_', 'do_syscall')) and len(names) < 8:
            names.append(call.group(2))
    lines = [f'task {name}, state {state}: {" < ".join(calls)}' for name, state, calls in found]
    return [line for line in lines if not IDLE.search(line)]


def group(number):
    """Returns (name, state, seconds of CPU) of each process of a process group."""
    found = []
    for pid in os.listdir('/proc'):
        try:
            with open(f'/proc/{pid}/stat', encoding='utf-8', errors='replace') as file:
                head, _, rest = file.read().rpartition(')')
        except OSError:
            continue        # no process, or one that has ended
        fields = rest.split()
        if int(fields[2]) == number:
            seconds = (int(fields[11]) + int(fields[12])) / os.sysconf('SC_CLK_TCK')
            found.append((head.partition('(')[2], fields[0], seconds))
    return found


class KnownReports:
    """A file of kernel reports that are not about igen: KERNEL|* PATTERN: REASON, one a line.

    The pattern, a regular expression without blanks, is looked for in the report's first line. A report in which igen's
    code appears is no known one, unless KERNEL ends in "+": for what others warn of that igen may only call.
    """

    def __init__(self, path, kernel):
        self.rules = []
        with open(path, encoding='utf-8') as file:
            for number, line in enumerate(file, 1):
                line = line.split('#')[0].strip()
                if not line:
                    continue
                match = re.fullmatch(r'(\S+)\s+(\S+):\s+(\S.*)', line)
                if not match:
                    raise ValueError(f'{path}:{number}: not KERNEL|* PATTERN: REASON')
                if match.group(1).rstrip('+') in ('*', kernel):
                    self.rules.append((re.compile(match.group(2)), match.group(3), match.group(1).endswith('+')))

    def reason(self, report):
        """Returns why a report is no failure, or nothing."""
        own = OWN.search(report)
        first = report.split('\n', 1)[0]
        return next((reason for pattern, reason, calls in self.rules
                     if pattern.search(first) and (calls or not own)), '')


def cpio_archive(files):
    """Returns a newc archive of {path: (mode, bytes)}; folders on the way are added, and /dev/console."""
    out = bytearray()
    seen = set()
    number = [0]

    def entry(name, mode, data=b'', rdev=(0, 0)):
        number[0] += 1
        raw = name.encode() + b'\0'
        fields = (number[0], mode, 0, 0, 1, 0, len(data), 0, 0, rdev[0], rdev[1], len(raw), 0)
        out.extend(b'070701' + b''.join(b'%08X' % field for field in fields) + raw)
        out.extend(b'\0' * (-len(out) % 4))
        out.extend(data)
        out.extend(b'\0' * (-len(out) % 4))

    def folder(path):
        if path and path not in seen:
            folder(os.path.dirname(path))
            seen.add(path)
            entry(path, 0o040755)

    folder('dev')
    entry('dev/console', 0o020600, rdev=(5, 1))
    for path, (mode, data) in files.items():
        folder(os.path.dirname(path))
        entry(path, 0o100000 | mode, data)
    entry('TRAILER!!!', 0)
    return bytes(out)


def uncovered(counters):
    """Returns, in words, what a driver touched and the model does not implement, and what it let a user's batch do that
    the engine does not check, from the model's counters."""
    found = []
    for key, what in (('unimplemented_registers', 'register'), ('unknown_opcodes', 'opcode'), ('unchecked', 'unchecked')):
        found += [f'{what} {name}' for name in counters.get(key, {}) if name != 'total']
    return found


def asleep(counters):
    """Returns the registers of power wells that were accessed though these may have slept, and how often, from the model's
    counters."""
    return [f'{name} ({count})' for name, count in counters['forcewake_missing'].items() if name != 'total']


class Kernel:
    """An unpacked kernel of the cache."""

    def __init__(self, series):
        self.dir = os.path.join(CACHE, 'kernels', series)
        with open(os.path.join(self.dir, 'version'), encoding='utf-8') as file:
            self.release = file.read().strip()
        self.root = os.path.join(self.dir, 'root')
        # What QEMU starts: the ELF image where there is one (no decompressor runs), else the bzImage.
        # A kernel with debugging aids (kernel-build) is many times slower.
        self.debug = os.path.exists(os.path.join(self.dir, 'wanted.config'))
        self.image = next(path for path in (os.path.join(self.dir, name) for name in ('vmlinux', 'bzImage'))
                          if os.path.exists(path))
        self.modules = os.path.join(self.root, 'lib/modules', self.release)
        with open(os.path.join(self.dir, 'config'), encoding='utf-8') as file:
            config = set(file)
        self.counts_lines = 'CONFIG_GCOV_KERNEL=y\n' in config
        self.has_sw_sync = 'CONFIG_SW_SYNC=y\n' in config

    def closure(self, names):
        """Returns the files of the named modules and of what they depend on, in the order to load them."""
        depends = {}
        with open(os.path.join(self.modules, 'modules.dep'), encoding='utf-8') as file:
            for line in file:
                path, _, rest = line.partition(':')
                name = os.path.basename(path).split('.')[0].replace('-', '_')
                depends[name] = (path, rest.split())
        order = []
        for name in names:
            if name not in depends:
                continue        # built in
            path, rest = depends[name]
            # modules.dep lists the farthest dependency last.
            for one in [*reversed(rest), path]:
                if one not in order:
                    order.append(one)
        return [os.path.join(self.modules, one) for one in order]


def module_depends(path):
    """Returns the names of the modules that a .ko asks for, and the kernel release it was built for."""
    fields = {}
    for field in ('depends', 'vermagic'):
        run = subprocess.run(['/sbin/modinfo', '-F', field, path], stdout=subprocess.PIPE, check=True, text=True)
        fields[field] = run.stdout.strip()
    return [name for name in fields['depends'].split(',') if name], fields['vermagic'].split(' ')[0]


def hold_folder(path):
    """Keeps a folder from remove_folder() as long as this process lives or the descriptor that it returns is open."""
    folder = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    fcntl.flock(folder, fcntl.LOCK_SH)
    return folder


def remove_folder(path):
    """Removes a folder with all that is in it, unless it is held. Another process may do so at the same time."""
    try:
        folder = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    except FileNotFoundError:
        return
    try:
        fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
        shutil.rmtree(path, ignore_errors=True)
    except BlockingIOError:
        pass
    finally:
        os.close(folder)


class Core:
    """Host cores for a guest and its model, while the object lives. The least used ones are taken."""

    def __init__(self, count=1):
        self.files = []
        self.cpus = set()
        folder = os.path.join(CACHE, 'cores')
        os.makedirs(folder, exist_ok=True)
        for share in range(64):
            for cpu in sorted(os.sched_getaffinity(0)):
                if len(self.cpus) == count:
                    return
                if cpu in self.cpus:
                    continue
                file = open(os.path.join(folder, f'{cpu}.{share}'), 'w', encoding='utf-8')
                try:
                    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                except OSError:
                    file.close()
                    continue
                self.files.append(file)
                self.cpus.add(cpu)

    def pin(self):
        """To be called in the child: binds it, and all that it starts, to the cores."""
        if self.cpus:
            os.sched_setaffinity(0, self.cpus)


def rcu_deadlock(log, now):
    """Returns whether Linux 6.1 has deadlocked in its own test of RCU tasks, from its log and the time in seconds.

    With CONFIG_PROVE_RCU it tests them before they are in use, and takes the mutex that their kthread sleeps with, when the
    scheduler has let that one begin first (rcu_tasks_one_gp(); later kernels release the mutex). All processors are idle then,
    and Linux prints nothing any more. The next line follows within milliseconds otherwise.
    """
    try:
        with open(log, 'rb') as file:
            lines = file.read().splitlines()
        return bool(lines) and lines[-1].endswith(b'Running RCU-tasks wait API self tests') and \
            now - os.path.getmtime(log) > RCU_TEST_LIMIT
    except FileNotFoundError:
        return False


def tsc_khz():
    """Returns the frequency of this machine's time stamp counter in kHz, or None if that cannot be measured."""
    if platform.machine() != 'x86_64':
        return None
    try:
        page = mmap.mmap(-1, mmap.PAGESIZE, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    except OSError:
        return None
    # rdtsc; shl $32, %rdx; or %rdx, %rax; ret
    page.write(bytes.fromhex('0f3148c1e2204809d0c3'))
    read = ctypes.CFUNCTYPE(ctypes.c_uint64)(ctypes.addressof(ctypes.c_char.from_buffer(page)))

    def look():
        """Returns the time in ns and the counter, of the one of many looks that was interrupted least."""
        looks = []
        for _ in range(100):
            before, ticks, after = time.monotonic_ns(), read(), time.monotonic_ns()
            looks.append((after - before, before, ticks))
        return min(looks)[1:]

    (first_ns, first), _, (last_ns, last) = look(), time.sleep(0.1), look()
    return round((last - first) * 1000000 / (last_ns - first_ns))
