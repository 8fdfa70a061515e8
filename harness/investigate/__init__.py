"""What is done about findings: fuzzing, minimizing, replays, the upgrade gate, the selftest."""
