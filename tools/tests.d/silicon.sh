# shellcheck shell=bash
# SPDX-License-Identifier: MIT
#
# Options of igen-vm for a model that forgives no more than silicon (Documentation/model.rst): $silicon, and $strict for stock i915,
# which expects D3 to keep registers.

strict="--model latency_us=50 --model forcewake=strict --model ring_checks=on --model image_checks=on --model prefetch_lines=8"
strict+=" --model posted_us=50 --model fault_csb_order=100+100 --model late_csb_us=100"
# shellcheck disable=SC2034
silicon="$strict --model d3_forgets=on"
