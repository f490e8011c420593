"""Programs that test endurance: kills, hostile input, long crawls, power cuts."""
