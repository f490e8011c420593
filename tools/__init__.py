"""Programs of the repository that measure, label and make the shipped models: not part of the wheel."""
