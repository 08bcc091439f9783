#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# command_line.sh PROGRAM: help, wrong words, exit statuses, closed and full outputs.
set -u
. "$MASING_SOURCE_ROOT/tests/tap.sh"
begin "$1"

# answers NAME TEXT ARGUMENT...: exit status 0, TEXT on standard output
answers() {
    name=$1 text=$2
    shift 2
    "$program" "$@" >out 2>err
    status=$?
    report "$name" "$(
        [ $status -eq 0 ] || echo "exit status $status instead of 0"
        [ ! -s err ] || cat err
        grep -qF -- "$text" out || echo "output lacks '$text'"
    )"
}

# like answers, but a law may caution against its own example
is_joint() {
    "$program" check example.yaml >out 2>err
    status=$?
    report "the example of $1 is a joint" "$(
        [ $status -eq 0 ] || echo "exit status $status instead of 0"
        grep -v "^warning: joint 'joint': " err
        grep -qF -- "joint joint: $1" out || echo "output lacks 'joint joint: $1'"
    )"
}

commands() {
    "$program" --help | sed -n 's/^  \([a-z]*\)  .*/\1/p'
}

answers "--version" "masing 0." --version

kernels() {
    "$program" --version 2>&1 | sed -n 's/^OpenBLAS kernels: //p'
}

# where the processor has what the kernels need
if [ "$(uname -m)" = x86_64 ] && grep -q '^flags.* avx2 ' /proc/cpuinfo &&
    grep -q '^flags.* fma ' /proc/cpuinfo; then
    expect "kernels of the processor" "$(unset OPENBLAS_CORETYPE; kernels)" Haswell
    expect "kernels that are asked for" "$(OPENBLAS_CORETYPE=Prescott kernels)" Prescott
    expect "OpenBLAS looks for kernels itself where it does not know those asked for" \
        "$(OPENBLAS_CORETYPE=Nonsense kernels | grep -c .)" 1
fi
answers "--help lists the commands" "  study " --help
refused "no command" "a command is missing"
refused "an unknown command" "did you mean 'study'?" studdy model.yaml
refused "an unknown option instead of a command" "unknown option '--verson'" --verson
expect "the interface's commands are there" "$(commands | sort | xargs)" \
    "$(echo check compare frf identify integrate law loop merge mode peak reduce ringdown \
        sample study)"
for command in $(commands); do
    answers "$command --help" "usage: masing $command" "$command" --help
done
refused "a command that is not there yet" "unknown command 'folds'" folds model.yaml --any 1

answers "law lists the laws" "jenkins" law
for law in $("$program" law | sed 1d | cut -d ' ' -f 1); do
    answers "law $law" "source: " law "$law"
    {
        echo 'masing: 1'
        echo 'structure: {masses: {m1: 1, node.x: 1, node.y: 1, node.z: 1, node.ry: 1},'
        echo '  springs: [{from: ground, to: m1, stiffness: 1}]}'
        echo 'frequency: [1, 2]'
        echo 'outputs: [m1]'
        awk '/^joints:/ { shown = 1 } shown && /^$/ { exit } shown' out
    } >example.yaml
    is_joint "$law"
done
answers "law shows the constants of its example" "0.000375  displacement" law jenkins
answers "law --markdown has every law" '### unilateral_spring' law --markdown
refused "an unknown law" "did you mean 'jenkins'?" law jenkin
refused "an unknown option" "did you mean '--markdown'?" law --markdwn
refused "a flag with a value" "takes no value" law --markdown=yes
refused "too many arguments" "'b' is one argument too many" law a b

"$program" law >/dev/full 2>err
expect "a full device is an error" "$?" 1
report "and is reported" "$(grep -q 'standard output: cannot write' err || cat err)"
"$program" law >&- 2>err
expect "a closed output is an error" "$?" 1
report "and is reported too" "$(grep -q 'standard output: cannot write' err || cat err)"
finish
