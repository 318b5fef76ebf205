"""What the planner is asked, how its reply is read, and what its plans are worth."""
