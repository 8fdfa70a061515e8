"""Work on findings: fuzzing, minimizing, replays, the upgrade gate, the selftest."""
