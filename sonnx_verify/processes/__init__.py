"""Work in another process: a child with a message channel, limits on its time and memory, and a pool over it.

`channel` carries messages, `limits` holds a process to seconds and bytes, `child` starts a process, by a fork or as a
program of its own, and says how it ended, `pool` gives tasks to several, `guard` takes away what a killed process
left behind. Solvers, checks, mutants, other people's code and the editor's checks run in these processes.

What a process answers decides verdicts; docs/trust.md says what that is compared with.
"""
