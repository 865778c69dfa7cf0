# SPDX-License-Identifier: MIT
"""The command database: model, importers and generators."""
