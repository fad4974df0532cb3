#!/usr/bin/env bash
# One step of the action: the plan as the summary of the job, or the changes themselves. $VIGIL is the command line.
set -euo pipefail

plan="$RUNNER_TEMP/vigil-plan.md"
options=(-f "$VIGIL_FILE")
if [ "$VIGIL_PRUNE" = true ]; then options+=(--prune); fi

case "$VIGIL_COMMAND" in
  diff)
    status=0
    $VIGIL diff "${options[@]}" --markdown >"$plan" || status=$?
    # 3: there are changes, which is what a plan is for.
    if [ "$status" != 0 ] && [ "$status" != 3 ]; then exit "$status"; fi
    cat "$plan" >>"$GITHUB_STEP_SUMMARY"
    if [ "$status" = 3 ]; then changes=true; else changes=false; fi
    echo "changes=$changes" >>"$GITHUB_OUTPUT"
    ;;
  apply)
    $VIGIL apply "${options[@]}"
    echo "changes=false" >>"$GITHUB_OUTPUT"
    ;;
  *)
    echo "::error::command is diff or apply" >&2
    exit 2
    ;;
esac
