"""What the program endures: kills, hostile input, long runs, power cuts. Each module is one program."""
