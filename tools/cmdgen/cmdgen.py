#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The command database's tool; see Documentation/cmdgen.rst."""
import sys

from cmdgen.main import main

sys.exit(main(sys.argv[1:]))
